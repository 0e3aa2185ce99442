//===- ShapeTest.cpp - reductions, shape operations and sources -----------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"
#include <cmath>
#include <numeric>

using namespace hocket::test;

/// 0, 1, 2, ...
static Tensor count(std::vector<int64_t> shape) {
  int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                 std::multiplies<int64_t>());
  Values values(size);
  std::iota(values.begin(), values.end(), 0);
  return {shape, values};
}

static Outcome reduce(const std::string &kind, const std::string &attributes,
                      const std::string &resultType) {
  return evaluateOp("nn.reduce \"" + kind + "\" %0 {" + attributes + "}",
                    {"2x3x2xf32"}, resultType, {count({2, 3, 2})});
}

TEST(ReferenceReduce, Kinds) {
  expectClose(reduce("sum", "dims = array<i64: 1>", "2x2xf32"), {6, 9, 24, 27});
  expectClose(reduce("mean", "dims = array<i64: 1>", "2x2xf32"), {2, 3, 8, 9});
  expectClose(reduce("max", "dims = array<i64: 1>", "2x2xf32"), {4, 5, 10, 11});
}

TEST(ReferenceReduce, SeveralDims) {
  expectClose(reduce("sum", "dims = array<i64: 2, 0>", "3xf32"), {14, 22, 30});
  expectClose(reduce("mean", "dims = array<i64: 0, 1, 2>", "f32"), {5.5});
  expectClose(
      reduce("max", "dims = array<i64: 0, 2>, keepdim = true", "1x3x1xf32"),
      {7, 9, 11});
}

TEST(ReferenceReduce, MaxOfNegativesAndNaN) {
  auto largest = [](Values x) {
    return evaluateOp("nn.reduce max %0 {dims = array<i64: 0>}", {"2xf32"},
                      "f32", {{{2}, x}});
  };
  expectClose(largest({-3, -2}), {-2});
  EXPECT_TRUE(std::isnan(largest({NAN, 1}).values().at(0)));
  EXPECT_TRUE(std::isnan(largest({1, NAN}).values().at(0)));
}

TEST(ReferenceShape, RearrangeTransposes) {
  expectClose(evaluateOp("nn.rearrange %0 {source = #nn.layout<[2] [3]>, "
                         "order = [[1], [0]]}",
                         {"2x3xf32"}, "3x2xf32", {count({2, 3})}),
              {0, 3, 1, 4, 2, 5});
}

// "b (h d) -> h b d" with a new dim of size 1.
TEST(ReferenceShape, RearrangeSplitsADim) {
  Outcome outcome =
      evaluateOp("nn.rearrange %0 {source = #nn.layout<[b=2] [h=2 d=2]>, "
                 "order = [[1], [], [0], [2]]}",
                 {"2x4xf32"}, "2x1x2x2xf32", {count({2, 4})});
  expectClose(outcome, {0, 1, 4, 5, 2, 3, 6, 7});
  EXPECT_EQ(outcome.outputs.at(0).shape, std::vector<int64_t>({2, 1, 2, 2}));
}

// "b s c -> c (s b)"; the dim of size 1 is left out.
TEST(ReferenceShape, RearrangeJoinsDims) {
  expectClose(evaluateOp("nn.rearrange %0 {source = #nn.layout<[2] [2] [1] "
                         "[2]>, order = [[3], [1, 0]]}",
                         {"2x2x1x2xf32"}, "2x4xf32", {count({2, 2, 1, 2})}),
              {0, 4, 2, 6, 1, 5, 3, 7});
}

TEST(ReferenceShape, Slice) {
  expectClose(evaluateOp("nn.slice %0 {dim = 1, start = 1, size = 2}",
                         {"2x4xf32"}, "2x2xf32", {count({2, 4})}),
              {1, 2, 5, 6});
  Outcome dropped =
      evaluateOp("nn.slice %0 {dim = 0, start = 1, size = 1, drop = true}",
                 {"2x3xf32"}, "3xf32", {count({2, 3})});
  expectClose(dropped, {3, 4, 5});
  EXPECT_EQ(dropped.outputs.at(0).shape, std::vector<int64_t>({3}));
}

TEST(ReferenceShape, Concat) {
  expectClose(evaluateOp("nn.concat %0, %1 {dim = 1}", {"2x1xf32", "2x2xf32"},
                         "2x3xf32", {{{2, 1}, {10, 20}}, count({2, 2})}),
              {10, 0, 1, 20, 2, 3});
  expectClose(evaluateOp("nn.concat %0, %1 {dim = 0}", {"1x2xf32", "2x2xf32"},
                         "3x2xf32", {{{1, 2}, {10, 20}}, count({2, 2})}),
              {10, 20, 0, 1, 2, 3});
}

TEST(ReferenceShape, Broadcast) {
  expectClose(evaluateOp("nn.broadcast %0", {"2x1xf32"}, "2x2x3xf32",
                         {{{2, 1}, {5, 6}}}),
              {5, 5, 5, 6, 6, 6, 5, 5, 5, 6, 6, 6});
}

TEST(ReferenceSources, FillAndIota) {
  expectClose(evaluateOp("nn.fill {value = 2.5 : f64}", {}, "2x2xf32", {}),
              Values(4, 2.5));
  expectClose(evaluateOp("nn.iota {dim = 0}", {}, "2x3xi32", {}),
              {0, 0, 0, 1, 1, 1});
  expectClose(evaluateOp("nn.iota {dim = 1}", {}, "2x3xi32", {}),
              {0, 1, 2, 0, 1, 2});
}
