//===- PoolingTest.cpp - poolings of what is no number --------------------===//
//
//
// Expected numbers are PyTorch's; ordinary ones are held against it by
// test/Gradients.
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace hocket::test;

static constexpr double inf = std::numeric_limits<double>::infinity();

static std::string attributes(const std::string &kind, int padding) {
  std::string lows = std::to_string(padding);
  return " {kind = #nn.pool_kind<" + kind +
         ">, taps = array<i64: 3>, strides = array<i64: 2>, "
         "dilations = array<i64: 1>, lows = array<i64: " +
         lows + ">, highs = array<i64: " + lows + ">, extras = array<i64: 0>}";
}

static Values largest(const Values &x) {
  return evaluateOp("nn.pool %0" + attributes("max", 1), {"1x1x5xf32"},
                    "1x1x3xf32", {{{1, 1, 5}, x}})
      .values();
}

/// The gradient, where that of the three results is 1, 10 and 100.
static Values gradient(const Values &x) {
  return evaluateOp("nn.pool_grad %0, %1" + attributes("max", 1),
                    {"1x1x3xf32", "1x1x5xf32"}, "1x1x5xf32",
                    {{{1, 1, 3}, {1, 10, 100}}, {{1, 1, 5}, x}})
      .values();
}

TEST(ReferencePool, BorderIsNoValue) {
  EXPECT_EQ(largest({-3, -2, -5, -4, -9}), (Values{-2, -2, -4}));
  EXPECT_EQ(largest({-inf, -inf, -inf, -inf, -7}), (Values{-inf, -inf, -7}));
}

TEST(ReferencePool, NaN) {
  Values y = largest({0, NAN, 1, 2, 3});
  EXPECT_TRUE(std::isnan(y.at(0)));
  EXPECT_TRUE(std::isnan(y.at(1)));
  EXPECT_EQ(y.at(2), 3);
}

TEST(ReferencePool, WhoGetsTheGradient) {
  // The first of equal ones, also of infinities.
  EXPECT_EQ(gradient({4, 4, 4, 4, 4}), (Values{1, 10, 0, 100, 0}));
  EXPECT_EQ(gradient({-inf, -inf, -inf, -inf, -7}), (Values{1, 10, 0, 0, 100}));
  EXPECT_EQ(gradient({inf, 1, inf, inf, 2}), (Values{1, 0, 10, 100, 0}));
  // The last NaN.
  EXPECT_EQ(gradient({0, NAN, NAN, 2, 3}), (Values{0, 1, 10, 0, 100}));
}

TEST(ReferencePool, Mean) {
  auto mean = [](const std::string &more) {
    std::string words = attributes("average", 1);
    words.insert(words.size() - 1, more);
    return evaluateOp("nn.pool %0" + words, {"1x1x5xf32"}, "1x1x3xf32",
                      {{{1, 1, 5}, {1, 2, 3, 4, 5}}})
        .values();
  };
  EXPECT_EQ(mean(""), (Values{1, 3, 3}));
  EXPECT_EQ(mean(", counts_border = false"), (Values{1.5, 3, 4.5}));
}
