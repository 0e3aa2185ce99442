//===- AttentionTest.cpp - attention by heads -----------------------------===//
//
// q, k, v = wave(1, 4, 2, 3), wave(1, 2, 3, 3, phase=1), wave(1, 2, 3, 2,
// phase=2), k and v repeated: k.repeat_interleave(2, 1). Expected is
// F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.5).
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"

using namespace hocket::test;

static Outcome attend(const std::string &attributes,
                      std::vector<Tensor> keep = {}) {
  std::vector<std::string> types = {"1x4x2x3xf32", "1x2x3x3xf32",
                                    "1x2x3x2xf32"};
  std::vector<Tensor> inputs = {wave({1, 4, 2, 3}), wave({1, 2, 3, 3}, 1),
                                wave({1, 2, 3, 2}, 2)};
  if (!keep.empty()) {
    types.push_back("1x3xi1");
    inputs.push_back(keep[0]);
  }
  return evaluateOp(std::string("nn.attention %0, %1, %2") +
                        (keep.empty() ? "" : ", %3") + " {scale = 0.5 : f64" +
                        attributes + "}",
                    types, "1x4x2x2xf32", inputs);
}

TEST(ReferenceAttention, GroupedHeads) {
  expectClose(attend(""),
              {0.169448973324311, -0.0935764237047473, 0.152028476112012,
               -0.211031829168655, -0.464761896890922, -0.655896226421098,
               0.178885236450775, -0.0872096775806177, 0.371446499989819,
               0.526605158015281, 0.636293009060347, 0.376455763982976,
               0.213191217287943, 0.374273727889438, 0.37760987995001,
               0.527184063362134});
}

// mask = torch.ones(2, 3).tril(diagonal=1).bool()
TEST(ReferenceAttention, CausalAlignsTheLastKeyWithTheLastQuery) {
  expectClose(attend(", causal = true"),
              {0.665849260591869, 0.167040869481309, 0.152028476112012,
               -0.211031829168655, -0.0691335467748055, -0.618936285122432,
               0.178885236450775, -0.0872096775806177, 0.361824338666722,
               0.715482202619937, 0.636293009060347, 0.376455763982976,
               0.13010381941025, 0.644107592248732, 0.37760987995001,
               0.527184063362134});
}

// mask = torch.tensor([[[[True, False, True]]]])
TEST(ReferenceAttention, Keep) {
  expectClose(attend("", {{{1, 3}, {1, 0, 1}}}),
              {0.242440812493142, 0.0308905676093246, 0.362187282525116,
               0.102087575439426, -0.659050736194027, -0.505104362625463,
               0.252683457444549, 0.0369804813463354, 0.0609681130097378,
               0.331113824702817, 0.32343594591584, -0.119505520202026,
               0.0871705513630748, 0.286128024062194, 0.0631248902421087,
               0.327410949829367});
}

TEST(ReferenceAttention, RowsThatSeeNothingAreZero) {
  expectClose(attend("", {{{1, 3}, {0, 0, 0}}}), Values(16, 0.0));
}

// Query 0 sees keys 0 and 1, of which none is kept; query 1 sees key 2 alone.
TEST(ReferenceAttention, CausalAndKeepTogether) {
  Values v = wave({1, 2, 3, 2}, 2).values;
  Values expected;
  for (int head = 0; head < 4; ++head)
    for (double value : {0.0, 0.0, v[head / 2 * 6 + 4], v[head / 2 * 6 + 5]})
      expected.push_back(value);
  expectClose(attend(", causal = true", {{{1, 3}, {0, 0, 1}}}), expected);
}

// A query sees what it sees where the keys of its document alone are kept; one
// of a document without keys sees nothing.
TEST(ReferenceAttention, Documents) {
  const Values ofQueries = {5, -1}, ofKeys = {5, 2, 5};
  Values expected(16, 0.0);
  Values kept = attend("", {{{1, 3}, {1, 0, 1}}}).values();
  for (int head = 0; head < 4; ++head)
    for (int d = 0; d < 2; ++d)
      expected[head * 4 + d] = kept[head * 4 + d];
  Outcome found = evaluateOp(
      "nn.attention %0, %1, %2 documents %3, %4 {scale = 0.5 : f64}",
      {"1x4x2x3xf32", "1x2x3x3xf32", "1x2x3x2xf32", "1x2xi32", "1x3xi32"},
      "1x4x2x2xf32",
      {wave({1, 4, 2, 3}),
       wave({1, 2, 3, 3}, 1),
       wave({1, 2, 3, 2}, 2),
       {{1, 2}, ofQueries},
       {{1, 3}, ofKeys}});
  expectClose(found, expected);
}

// A bias of the weights' logarithms beside scores of 0; -infinity hides.
TEST(ReferenceAttention, Bias) {
  Tensor v = wave({1, 2, 3, 2}, 2);
  const Values weights = {0.5, 0.25, 0.25, 0, 0, 1, 0, 0, 0, 0.125, 0, 0.875};
  Tensor bias = {{1, 2, 2, 3}, {}};
  for (double weight : weights)
    bias.values.push_back(std::log(weight));
  Values expected;
  for (int row = 0; row < 4; ++row)
    for (int d = 0; d < 2; ++d) {
      double sum = 0;
      for (int j = 0; j < 3; ++j)
        sum += weights[row * 3 + j] * v.values[(row / 2 * 3 + j) * 2 + d];
      expected.push_back(sum);
    }
  expectClose(
      evaluateOp(
          "nn.attention %0, %1, %2 bias %3 {scale = 0.5 : f64}",
          {"1x2x2x3xf32", "1x2x3x3xf32", "1x2x3x2xf32", "1x2x2x3xf32"},
          "1x2x2x2xf32",
          {{{1, 2, 2, 3}, Values(12, 0.0)}, wave({1, 2, 3, 3}, 1), v, bias}),
      expected);
}

// The second batch has keys and a mask of its own: 2 batches at once are both.
TEST(ReferenceAttention, Batches) {
  Tensor q = wave({2, 1, 2, 2}), k = wave({2, 1, 2, 2}, 1);
  Tensor v = wave({2, 1, 2, 2}, 2), keep = {{2, 2}, {1, 1, 0, 1}};
  auto half = [](const Tensor &x, int part) {
    size_t size = x.values.size() / 2;
    auto from = x.values.begin() + part * size;
    Tensor result = {x.shape, Values(from, from + size)};
    result.shape[0] = 1;
    return result;
  };
  auto attendTo = [](const std::string &batch, std::vector<Tensor> inputs) {
    std::string type = batch + "x1x2x2xf32";
    return evaluateOp("nn.attention %0, %1, %2, %3 {scale = 1.0 : f64}",
                      {type, type, type, batch + "x2xi1"}, type, inputs);
  };
  Values expected;
  for (int part : {0, 1})
    for (double value : attendTo("1", {half(q, part), half(k, part),
                                       half(v, part), half(keep, part)})
                            .values())
      expected.push_back(value);
  expectClose(attendTo("2", {q, k, v, keep}), expected);
}
