//===- StridedTest.cpp - views of memory are reshaped, never moved --------===//

#include "hocket/Views/Strided.h"
#include "gtest/gtest.h"

using namespace hocket;
using namespace hocket::views;

static Strided dense(Numbers sizes) {
  Strided value;
  value.sizes = sizes;
  value.strides = rowMajorStrides(sizes);
  return value;
}

TEST(Strided, RowMajorStrides) {
  EXPECT_EQ(rowMajorStrides({2, 3, 4}), (Numbers{12, 4, 1}));
  EXPECT_EQ(rowMajorStrides({}), Numbers{});
  // An empty factor takes no room, but those before it still differ.
  EXPECT_EQ(rowMajorStrides({2, 0, 4}), (Numbers{4, 4, 1}));
}

TEST(Strided, StridesFollowTheOrderOfAnother) {
  // [b, h, s, d] that lies in memory as b, s, h, d.
  EXPECT_EQ(stridesLike({2, 3, 5, 4}, {60, 4, 12, 1}), (Numbers{60, 4, 12, 1}));
  // Other sizes, same order.
  EXPECT_EQ(stridesLike({2, 6, 5, 4}, {60, 4, 12, 1}),
            (Numbers{120, 4, 24, 1}));
  // A broadcast factor stays before what follows it.
  EXPECT_EQ(stridesLike({2, 3, 4}, {4, 0, 1}), (Numbers{12, 4, 1}));
}

TEST(Strided, SplitsAFactor) {
  auto result = reshaped(dense({2, 12}), {2, 3, 4});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->strides, (Numbers{12, 4, 1}));
}

TEST(Strided, JoinsFactorsOfOneRun) {
  auto result = reshaped(dense({2, 3, 4}), {6, 4});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->strides, (Numbers{4, 1}));
}

TEST(Strided, JoiningATransposeNeedsACopy) {
  Strided value = dense({3, 2});
  value.strides = {1, 3};
  EXPECT_FALSE(reshaped(value, {6}));
}

TEST(Strided, SingleFactorsComeAndGo) {
  auto result = reshaped(dense({1, 6, 1}), {6});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->strides, (Numbers{1}));
  result = reshaped(*result, {1, 2, 1, 3});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->strides[1], 3);
  EXPECT_EQ(result->strides[3], 1);
}

TEST(Strided, CrossingFactorsJoinFirst) {
  auto result = reshaped(dense({4, 6}), {3, 8});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->strides, (Numbers{8, 1}));
  Strided padded = dense({4, 6});
  padded.strides = {10, 1};
  EXPECT_FALSE(reshaped(padded, {3, 8}));
}

TEST(Strided, NothingToReshapeInAnEmptyTensor) {
  EXPECT_TRUE(reshaped(dense({0, 4}), {2, 0}));
}

TEST(Strided, BroadcastHasStrideZero) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  auto from = nn::plainLayout(&context, {4, 1});
  auto to = nn::plainLayout(&context, {2, 4, 3});
  auto result = broadcastTo(dense({4, 1}), from, to);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->strides, (Numbers{0, 1, 0}));
  EXPECT_EQ(result->sizes, (Numbers{2, 4, 3}));
}
