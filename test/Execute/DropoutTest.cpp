//===- DropoutTest.cpp - the same elements are dropped on any ranks -------===//
//
// Programs whose outputs show what was dropped, compiled for 1 to 4 ranks under
// every split: all give the bits of one device, which are those that Philox.h
// states.
//
//===----------------------------------------------------------------------===//

#include "DropoutRun.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace hocket::test;

namespace {

//===----------------------------------------------------------------------===//
// nn.dropout
//===----------------------------------------------------------------------===//

/// Two calls of one module, one of another, and one through a transposition.
const std::string plain = R"(hocket 1
module Twice(dim: dim) {
  drop = Dropout(0.3)
  forward(x: f32[b, s, dim]) -> f32[b, s, dim] { return drop(x) }
}
model Drops(batch: int = 6, seq: int = 7, heads: int = 5, width: int = 3) {
  first  = Twice((heads, width))
  second = Twice((heads, width))
  forward(x: f32[batch, seq, (heads, width)]) {
    turned = dropout(rearrange(x, "b s d -> d b s"), 0.5)
    return first(x), first(x), second(x), turned
  }
}
schedule batch(n: int = 1) for Drops {
  mesh (tp = n)
  shard x axis batch over tp
}
schedule sequence(n: int = 1) for Drops {
  mesh (tp = n)
  shard x axis seq over tp
}
schedule hidden(n: int = 1) for Drops {
  mesh (tp = n)
  shard x axis heads over tp
}
schedule both(n: int = 1) for Drops {
  mesh (dp = n / 2, tp = 2)
  shard x axis batch over dp
  shard x axis heads over tp
}
schedule minor(n: int = 1) for Drops {
  mesh (tp = n)
  shard x axis width over tp
}
)";

TEST(Dropout, ElementsAreThoseOfPhilox) {
  Outputs found = run(plain, {"", 1, 5, 3});
  size_t count = 6 * 7 * 15;
  EXPECT_EQ(found["output0"], dropped(count, 0.3, "first.drop", 5, 3));
  EXPECT_EQ(found["output1"], dropped(count, 0.3, "first.drop#1", 5, 3));
  EXPECT_EQ(found["output2"], dropped(count, 0.3, "second.drop", 5, 3));
  EXPECT_EQ(found["output3"], dropped(count, 0.5, "dropout()", 5, 3));
  // The backward drops them again: the gradient of x is the sum of what was
  // kept, the last of it turned back.
  for (size_t i = 0; i < count; ++i) {
    size_t turned = i % 15 * (6 * 7) + i / 15;
    ASSERT_NEAR(found["x.grad"][i],
                found["output0"][i] + found["output1"][i] +
                    found["output2"][i] + found["output3"][turned],
                1e-6);
  }
}

TEST(Dropout, AnyRanksDropTheSame) {
  Outputs alone = sameOnAllRanks(plain, {"batch", "sequence", "hidden"});
  EXPECT_EQ(run(plain, {"minor", 3, 5, 3}), alone);
  EXPECT_EQ(run(plain, {"both", 4, 5, 3}), alone);
  EXPECT_EQ(run(plain, {"both", 2, 5, 3}), alone);
}

TEST(Dropout, StepsCallsLayersAndSeedsDiffer) {
  Outputs one = run(plain, {"", 1, 5, 3}), next = run(plain, {"", 1, 6, 3}),
          seeded = run(plain, {"", 1, 5, 4});
  EXPECT_NE(one["output0"], one["output1"]);
  EXPECT_NE(one["output0"], one["output2"]);
  for (const auto &[name, values] : one) {
    EXPECT_NE(values, next[name]) << name;
    EXPECT_NE(values, seeded[name]) << name;
    double kept = 0;
    for (float value : values)
      kept += value != 0;
    if (name == "x.grad")
      continue;
    double share = name == "output3" ? 0.5 : 0.7; // within five deviations
    EXPECT_NEAR(kept / values.size(), share,
                5 * std::sqrt(share * (1 - share) / values.size()));
  }
}

/// One axis longer than the words that are kept in memory at once, and rows
/// that begin inside a block of four.
TEST(Dropout, LongRows) {
  auto text = [](const std::string &dims) {
    return "hocket 1\nmodel Long() {\n  forward(x: f32[" + dims +
           "]) { return dropout(x, 0.25) }\n}\n"
           "schedule rows(n: int = 1) for Long {\n  mesh (tp = n)\n"
           "  shard x axis 0 over tp\n}\n"
           "schedule columns(n: int = 1) for Long {\n  mesh (tp = n)\n"
           "  shard x axis " +
           std::to_string(std::count(dims.begin(), dims.end(), ',')) +
           " over tp\n}\n";
  };
  for (auto [dims, count] : {std::pair<const char *, size_t>{"7001", 7001},
                             {"5, 3001", 15005},
                             {"4, 2, 2051", 16408}}) {
    SCOPED_TRACE(dims);
    Outputs found = sameOnAllRanks(text(dims), {"rows", "columns"});
    EXPECT_EQ(found["output"], dropped(count, 0.25, "dropout()", 5, 3));
    EXPECT_EQ(found["x.grad"], found["output"]);
  }
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Queries of 0 and unit keys and values: the result is the weights, and the
/// gradient of q that of the scores. With 70 keys the last tile of keys is a
/// small one.
std::string attentionText(const std::string &mask, int64_t heads) {
  std::string kv = std::to_string(heads);
  return R"(hocket 1
model Weights(batch: int = 4, heads: int = 6, seq: int = 9, keys: int = 70) {
  forward(q: f32[batch, heads, seq, keys], k: f32[batch, )" +
         kv + R"(, keys, keys], v: f32[batch, )" + kv +
         R"(, keys, keys]) -> f32[batch, heads, seq, keys] {
    return attention(q, k, v, mask = )" +
         mask + R"(, dropout = 0.2)
  }
}
schedule batches(n: int = 1) for Weights {
  mesh (tp = n)
  shard {q,k,v} axis 0 over tp
}
schedule sequence(n: int = 1) for Weights {
  mesh (tp = n)
  shard q axis seq over tp
}
schedule headed(n: int = 1) for Weights {
  mesh (tp = n)
  shard {q,k,v} axis 1 over tp
}
)";
}

TEST(Dropout, AnyRanksDropTheSameWeights) {
  std::vector<std::string> splits = {"batches", "sequence", "headed"};
  std::set<std::string> sums = {"k.grad", "v.grad"};
  Outputs all = sameOnAllRanks(attentionText("none", 6), splits, sums);
  size_t count = 4 * 6 * 9 * 70, same = 0;
  Numbers expected = dropped(count, 0.2, "attention()", 5, 3);
  for (size_t i = 0; i < count; ++i)
    same += std::fabs(all["output"][i] - expected[i] / 70) < 1e-7f;
  EXPECT_EQ(same, count);
  sameOnAllRanks(attentionText("causal", 6), splits, sums);
}

TEST(Dropout, GroupedHeadsDropTheSameWeights) {
  sameOnAllRanks(attentionText("causal", 2), {"batches", "sequence"},
                 {"k.grad", "v.grad"});
}

//===----------------------------------------------------------------------===//
// Fused kernels and the reference
//===----------------------------------------------------------------------===//

const std::string block = R"hkt(hocket 1
module Mlp(dim: dim, inner: int) {
  up   = Linear(dim, inner)
  down = Linear(inner, dim)
  norm = LayerNorm(dim)
  drop = Dropout(0.1)
  forward(x: f32[b, s, dim]) -> f32[b, s, dim] {
    return norm(x + drop(down(drop(gelu(up(x))))))
  }
}
model Blocks(batch: int = 4, seq: int = 6, heads: int = 4, width: int = 8) {
  h = [Mlp((heads, width), 64) for i in 0..2]
  forward(x: f32[batch, seq, (heads, width)]) {
    y = x
    for layer in h {
      q = rearrange(dropout(y, 0.2), "b s (h d) -> b h s d")
      o = attention(q, q, q, mask = causal, dropout = 0.1)
      y = layer(rearrange(o, "b h s d -> b s (h d)"))
    }
    return y
  }
}
schedule batches(n: int = 1) for Blocks {
  mesh (tp = n)
  shard x axis batch over tp
}
schedule tensor(n: int = 1) for Blocks {
  mesh (tp = n)
  at h.* {
    shard up.{weight,bias} axis out over tp
    shard down.weight axis in over tp
    sync down fwd_post all_reduce over tp
  }
}
schedule sequence(n: int = 1) for Blocks {
  mesh (tp = n)
  at h.* {
    shard up.{weight,bias} axis out over tp
    shard down.weight axis in over tp
    sync down fwd_post reduce_scatter axis 1 over tp
    sync x fwd_pre slice axis 1 over tp
    sync up.x fwd_pre all_gather axis 1 over tp
    sync norm fwd_post all_gather axis 1 over tp
  }
}
)hkt";

TEST(Dropout, ReferenceDropsTheSame) {
  EXPECT_LE(errorOf(block, {}), 1e-5);
  for (const char *schedule : {"batches", "tensor", "sequence"})
    for (int64_t ranks : {2, 3, 4})
      EXPECT_LE(errorOf(block, {schedule, ranks}), 1e-5)
          << schedule << " on " << ranks;
}

} // namespace
