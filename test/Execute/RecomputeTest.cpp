//===- RecomputeTest.cpp - what is computed again drops the same ----------===//
//
// Modules of which each result is multiplied with an input: the gradient of
// that input is the other factor as the backward computed it again, and shows
// the bits that it dropped.
//
//===----------------------------------------------------------------------===//

#include "DropoutRun.h"
#include <gtest/gtest.h>

using namespace hocket::test;

namespace {

/// Two layers, so that the second is computed again from the kept result of
/// the first.
const std::string layers = R"(hocket 1
module Kept(dim: dim) {
  drop = Dropout(0.3)
  forward(x: f32[b, s, dim], w: f32[b, s, dim]) -> f32[b, s, dim] {
    return w * drop(x)
  }
}
model Layers(batch: int = 6, seq: int = 7, heads: int = 5, width: int = 3) {
  first  = Kept((heads, width))
  second = Kept((heads, width))
  forward(x: f32[batch, seq, (heads, width)], w: f32[batch, seq, (heads, width)],
          u: f32[batch, seq, (heads, width)]) {
    y = first(x, w)
    return y, second(y, u)
  }
}
schedule kept(n: int = 1) for Layers {
  mesh (tp = n)
}
schedule alone(n: int = 1) for Layers {
  mesh (tp = n)
  recompute {first,second}
}
schedule batch(n: int = 1) for Layers {
  mesh (tp = n)
  shard {x,w,u} axis batch over tp
  recompute {first,second}
}
schedule sequence(n: int = 1) for Layers {
  mesh (tp = n)
  shard {x,w,u} axis seq over tp
  recompute {first,second}
}
schedule heads(n: int = 1) for Layers {
  mesh (tp = n)
  shard {x,w,u} axis heads over tp
  recompute {first,second}
}
schedule moved(n: int = 1) for Layers {
  mesh (tp = n)
  shard {x,w} axis batch over tp
  shard u axis seq over tp
  sync second.x fwd_pre all_to_all axis b to s over tp
  recompute {first,second}
}
)";

/// The dropped elements of both layers, and their product.
struct Expected {
  Numbers first = dropped(6 * 7 * 15, 0.3, "first.drop", 5, 3);
  Numbers both = dropped(6 * 7 * 15, 0.3, "second.drop", 5, 3);

  Expected() {
    for (size_t i = 0; i < both.size(); ++i)
      both[i] *= first[i];
  }
};

TEST(Recompute, LayersAreComputedAgain) {
  // Twice forward and twice in the backward; again in the backward.
  EXPECT_EQ(countDrops(layers, {"kept", 1}), 4);
  for (const char *schedule : {"alone", "batch", "moved"})
    EXPECT_EQ(countDrops(layers, {schedule, 2}), 6) << schedule;
}

TEST(Recompute, DropsTheElementsOfTheForward) {
  Expected expected;
  Outputs found = run(layers, {"alone", 1, 5, 3});
  EXPECT_EQ(found["output0"], expected.first);
  EXPECT_EQ(found["output1"], expected.both);
  EXPECT_EQ(found["u.grad"], expected.both); // computed again
}

TEST(Recompute, AnyRanksDropTheSame) {
  Outputs alone =
      sameOnAllRanks(layers, {"batch", "sequence", "heads", "moved"});
  EXPECT_EQ(alone["u.grad"], Expected().both);
  EXPECT_EQ(run(layers, {"alone", 1, 5, 3}), alone);
}

/// The weights of attention, which unit keys and values show.
const std::string weights = R"(hocket 1
module Weights() {
  forward(q: f32[b, h, s, d], k: f32[b, h, t, d], v: f32[b, h, t, t],
          w: f32[b, h, s, t]) -> f32[b, h, s, t] {
    return w * attention(q, k, v, mask = causal, dropout = 0.2)
  }
}
model Again(batch: int = 4, heads: int = 6, seq: int = 9, keys: int = 70) {
  attend = Weights()
  forward(q: f32[batch, heads, seq, keys], k: f32[batch, heads, keys, keys],
          v: f32[batch, heads, keys, keys], w: f32[batch, heads, seq, keys]) {
    return attend(q, k, v, w)
  }
}
schedule kept(n: int = 1) for Again {
  mesh (tp = n)
}
schedule batches(n: int = 1) for Again {
  mesh (tp = n)
  shard {q,k,v,w} axis 0 over tp
  recompute attend
}
schedule sequence(n: int = 1) for Again {
  mesh (tp = n)
  shard {q,w} axis seq over tp
  recompute attend
}
schedule headed(n: int = 1) for Again {
  mesh (tp = n)
  shard {q,k,v,w} axis 1 over tp
  recompute attend
}
)";

TEST(Recompute, AttentionDropsTheSameWeights) {
  EXPECT_EQ(countDrops(weights, {"headed", 2}),
            countDrops(weights, {"kept", 2}) + 1);
  Outputs alone = sameOnAllRanks(weights, {"batches", "sequence", "headed"},
                                 {"k.grad", "v.grad"});
  EXPECT_EQ(alone["w.grad"], alone["output"]);
  EXPECT_EQ(run(weights, {"headed", 1, 5, 3}), alone);
}

} // namespace
