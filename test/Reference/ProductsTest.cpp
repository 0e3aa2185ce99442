//===- ProductsTest.cpp - linear, matmul and embedding --------------------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"

using namespace hocket::test;

// F.linear(wave(2, 3), wave(4, 3, phase=1), wave(4, phase=2))
static const Values linear = {2.21378044642165,   -0.930096585696077,
                              -0.189390709801413, 0.472407819199987,
                              1.73091786844406,   0.601208724310893,
                              -1.25267517324401,  0.0146925480941075};

TEST(ReferenceProducts, Linear) {
  expectClose(evaluateOp("nn.linear %0, %1, %2",
                         {"2x3xf32", "4x3xf32", "4xf32"}, "2x4xf32",
                         {wave({2, 3}), wave({4, 3}, 1), wave({4}, 2)}),
              linear);
}

TEST(ReferenceProducts, LinearTransposed) {
  Tensor weight = wave({4, 3}, 1), stored = {{3, 4}, Values(12)};
  for (int o = 0; o < 4; ++o)
    for (int i = 0; i < 3; ++i)
      stored.values[i * 4 + o] = weight.values[o * 3 + i];
  expectClose(evaluateOp("nn.linear %0, %1, %2 {transposed = true}",
                         {"2x3xf32", "3x4xf32", "4xf32"}, "2x4xf32",
                         {wave({2, 3}), stored, wave({4}, 2)}),
              linear);
}

// Sizes beyond each block and not multiples of a panel; every element against
// the plain sum.
TEST(ReferenceProducts, LinearInBlocks) {
  const int64_t rows = 261, in = 523, out = 1031;
  Tensor x = wave({rows, in}), weight = wave({out, in}, 1);
  Outcome outcome =
      evaluateOp("nn.linear %0, %1", {"261x523xf32", "1031x523xf32"},
                 "261x1031xf32", {x, weight});
  Values expected(rows * out, 0.0);
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t i = 0; i < in; ++i)
        expected[m * out + o] +=
            x.values[m * in + i] * weight.values[o * in + i];
  ASSERT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.values().size(), expected.size());
  double worst = 0;
  Values values = outcome.values();
  for (size_t at = 0; at < expected.size(); ++at)
    worst = std::max(worst, std::abs(values[at] - expected[at]));
  EXPECT_LT(worst, 1e-10);
}

// wave(2, 1, 2, 3) @ wave(3, 3, 2, phase=1)
TEST(ReferenceProducts, MatMulBroadcastsLeadingDims) {
  expectClose(evaluateOp("nn.matmul %0, %1", {"2x1x2x3xf32", "3x3x2xf32"},
                         "2x3x2x2xf32",
                         {wave({2, 1, 2, 3}), wave({3, 3, 2}, 1)}),
              {-0.167809865431934, -0.936519792322072, 1.16726728307293,
               1.21284455198781,   1.17566327367833,   1.20118916165872,
               -1.00529394785869,  -0.270406135070831, -0.984953418915337,
               -0.241272177638626, -0.18155480994086,  -0.947705484237034,
               -1.01077081634052,  -0.288079902790341, -0.146699864527469,
               -0.921972518513394, -0.160625806569789, -0.928162193757893,
               1.16747657334863,   1.20756427098189,   1.16826789605536,
               1.1981630216886,    -0.998036182964378, -0.262070384113137});
}

TEST(ReferenceProducts, Embedding) {
  expectClose(
      evaluateOp("nn.embedding %0, %1", {"3x2xf32", "2x2xi32"}, "2x2x2xf32",
                 {{{3, 2}, {0, 1, 10, 11, 20, 21}}, {{2, 2}, {2, 0, 0, 1}}}),
      {20, 21, 0, 1, 0, 1, 10, 11});
}

TEST(ReferenceProducts, IdsOutsideOfTheTable) {
  auto lookUp = [](double id) {
    return evaluateOp("nn.embedding %0, %1", {"3x2xf32", "2xi32"}, "2x2xf32",
                      {wave({3, 2}), {{2}, {0, id}}})
        .error;
  };
  EXPECT_EQ(lookUp(2), "");
  EXPECT_EQ(lookUp(3), "nn.embedding: id 3 (number 1 of 2) is outside of the "
                       "table, which has 3 rows: 0 to 2");
  EXPECT_EQ(lookUp(-1), "nn.embedding: id -1 (number 1 of 2) is outside of the "
                        "table, which has 3 rows: 0 to 2");
}
