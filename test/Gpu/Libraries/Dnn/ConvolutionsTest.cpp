//===- ConvolutionsTest.cpp - what convolutions compute -------------------===//

#include "test/Gpu/Libraries/Dnn/Sample.h"

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

class ConvolutionsTest : public DnnTest {
protected:
  /// All passes, forward also with a bias.
  void checkAll(const Windows &windows, DType type = DType::F32) {
    for (ConvolutionPass pass : allPasses)
      check(sample(pass, windows, type));
    Sample biased = sample(ConvolutionPass::Forward, windows, type);
    biased.bias = Tensor(type, {windows.weight[0]});
    check(biased);
  }
};

const Windows small = windows({2, 3, 7, 6}, {4, 3, 3, 2});

} // namespace

TEST_F(ConvolutionsTest, Plain) { checkAll(small); }

TEST_F(ConvolutionsTest, Types) {
  for (DType type : {DType::F64, DType::F16, DType::BF16})
    checkAll(small, type);
}

TEST_F(ConvolutionsTest, StridesDilationsAndUnevenPadding) {
  Windows w = small;
  w.strides = {2, 3};
  w.dilations = {1, 2};
  w.lows = {1, 0};
  w.highs = {3, 2};
  checkAll(w);
  w.strides = {3, 1};
  w.lows = {4, 2};
  w.highs = {0, 1};
  checkAll(w);
}

TEST_F(ConvolutionsTest, OneAndThreeDims) {
  Windows line = windows({2, 3, 9}, {4, 3, 3});
  line.strides = {2};
  line.lows = {2};
  checkAll(line);
  Windows space = windows({2, 2, 4, 5, 3}, {3, 2, 2, 3, 1});
  space.strides = {1, 2, 2};
  space.highs = {1, 0, 1};
  checkAll(space);
}

TEST_F(ConvolutionsTest, Groups) {
  checkAll(windows({2, 6, 5, 4}, {4, 3, 2, 2}));
  checkAll(windows({1, 4, 5, 4}, {8, 1, 3, 3}));
}

TEST_F(ConvolutionsTest, PartsOfLargerTensors) {
  for (ConvolutionPass pass : allPasses) {
    Sample part = sample(pass, small);
    part.x = Tensor(DType::F32, small.x, {400, 100, 13, 2}, 5);
    part.y = Tensor(DType::F32, small.y(), {1, 3, 600, 100}, 3);
    check(part);
  }
}

TEST_F(ConvolutionsTest, DimsInAnyOrder) {
  for (ConvolutionPass pass : allPasses) {
    Sample turned = sample(pass, small);
    turned.x = Tensor(DType::F32, small.x, stridesOf(small.x, {0, 2, 3, 1}));
    turned.weight =
        Tensor(DType::F32, small.weight, stridesOf(small.weight, {1, 3, 0, 2}));
    turned.y =
        Tensor(DType::F32, small.y(), stridesOf(small.y(), {3, 1, 0, 2}));
    check(turned);
  }
}

TEST_F(ConvolutionsTest, OperandsThatTheLibraryDoesNotTake) {
  for (ConvolutionPass pass : allPasses) {
    Sample gaps = sample(pass, small);
    gaps.weight = Tensor(DType::F32, small.weight, {100, 20, 6, 2}, 3);
    check(gaps);
  }
  Sample repeated = sample(ConvolutionPass::WeightGradient, small);
  repeated.x = Tensor(DType::F32, small.x, {0, 42, 6, 1});
  repeated.y = Tensor(DType::F32, small.y(), {0, 0, 0, 0});
  check(repeated);
  repeated.pass = ConvolutionPass::InputGradient;
  repeated.x = Tensor(DType::F32, small.x, stridesOf(small.x, {0, 2, 3, 1}));
  check(repeated);
  Sample line = sample(ConvolutionPass::InputGradient,
                       windows({2, 3, 9}, {4, 3, 3}), DType::BF16);
  line.y = Tensor(DType::BF16, line.y.shape, {0, 1, 4}, 1);
  check(line);
  Sample biased = sample(ConvolutionPass::Forward, small);
  biased.bias = Tensor(DType::F32, {4}, {0});
  check(biased);
  // With an engine that has sums in the workspace as well.
  dnn = openOn(1);
  check(biased);
  check(repeated);
}

/// The strides of dims of extent 1 mean nothing.
TEST_F(ConvolutionsTest, StridesOfUnitDims) {
  Windows unit = windows({1, 1, 5, 1}, {1, 1, 2, 1});
  for (ConvolutionPass pass : allPasses) {
    Sample made = sample(pass, unit);
    made.x = Tensor(DType::F32, unit.x, {0, 0, 2, 0});
    made.weight = Tensor(DType::F32, unit.weight, {7, 0, 1, 1});
    made.y = Tensor(DType::F32, unit.y(), {1, 1, 2, 1});
    check(made);
  }
}

TEST_F(ConvolutionsTest, LeavesOutTheBorderOfX) {
  Windows w = small;
  w.lows = {-1, 1};
  w.highs = {1, -2};
  checkAll(w);
  w.strides = {2, 2};
  w.lows = {-2, -1};
  w.highs = {-1, 0};
  checkAll(w);
  for (ConvolutionPass pass : allPasses)
    check(sample(pass, w, DType::BF16)); // odd addresses
}

TEST_F(ConvolutionsTest, GradientsToWhichNothingAdds) {
  Windows none = windows({0, 3, 5, 5}, {2, 3, 3, 3});
  check(sample(ConvolutionPass::WeightGradient, none));
  check(sample(ConvolutionPass::InputGradient, none));
  check(sample(ConvolutionPass::Forward, none));
  Windows outside = windows({1, 1, 2, 2}, {1, 1, 1, 1});
  outside.lows = {-2, 0};
  outside.highs = {1, 0};
  check(sample(ConvolutionPass::WeightGradient, outside));
  check(sample(ConvolutionPass::InputGradient, outside));
  Windows narrow = windows({1, 1, 2, 2}, {1, 1, 3, 3}); // no y
  check(sample(ConvolutionPass::WeightGradient, narrow));
  check(sample(ConvolutionPass::InputGradient, narrow));
}

/// The engines that the look-alike offers first are not deterministic, round,
/// or want too much memory.
TEST_F(ConvolutionsTest, FallsBackWhereTheBestEnginesAreNotWanted) {
  offer(4, 100);
  checkAll(small);
  checkAll(small, DType::F64);
  checkAll(small, DType::F16);
}

TEST_F(ConvolutionsTest, RanksThatShareAnAlgorithmHaveEqualBits) {
  std::unique_ptr<Dnn> other = openOn(1);
  for (ConvolutionPass pass : allPasses) {
    Sample first = sample(pass, windows({2, 5, 9, 9}, {4, 5, 3, 3}));
    std::unique_ptr<DnnConvolution> convolution;
    ASSERT_TRUE(
        DnnConvolution::make(*dnn, first.arguments(), {}, convolution).ok());
    std::vector<uint8_t> algorithm;
    ASSERT_TRUE(convolution->choose(algorithm).ok());
    ASSERT_TRUE(run(*dnn, first, &algorithm).ok());
    std::vector<uint8_t> bits = first.result().bits();
    ASSERT_TRUE(run(*other, first, &algorithm).ok());
    EXPECT_EQ(first.result().bits(), bits);
    // Of its own accord the other device takes another engine.
    ASSERT_TRUE(run(*other, first).ok());
    EXPECT_NE(first.result().bits(), bits);
  }
}
