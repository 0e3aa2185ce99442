//===- CpuSimple.cpp - copies, fills, embeddings, reductions --------------===//

#include "hocket/Cpu/Reduce.h"
#include "hocket/Cpu/Simple.h"
#include "test/Runtime/TestOperand.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::test;
using plan::DType;

TEST(CpuSimple, CopyEveryLayout) {
  std::vector<int64_t> shape = {3, 40, 5, 37};
  std::vector<int> order = {0, 1, 2, 3};
  for (DType type : {DType::Bool, DType::BF16, DType::F32, DType::F64})
    do
      for (int64_t pad : {0, 3})
        for (bool flipped : {false, true}) {
          TestOperand a(type, shape, order, pad), b(type, shape, {}, pad);
          TestOperand &src = flipped ? b : a, &dst = flipped ? a : b;
          src.random(7, 100);
          auto call = runtime::makeCopy(src.operand(), dst.operand());
          ASSERT_TRUE(runCall(*call).ok());
          for (int64_t flat = 0; flat < src.elements(); ++flat)
            ASSERT_EQ(dst.get(flat), src.get(flat));
        }
    while (std::next_permutation(order.begin(), order.end()));
}

// Cut over threads along each dim that may be the outermost.
TEST(CpuSimple, LargeCopyOnThreads) {
  for (std::vector<int> order : {std::vector<int>{0, 1, 2}, {2, 1, 0}}) {
    TestOperand src(DType::F32, {3, 301, 200}),
        dst(DType::F32, {3, 301, 200}, order);
    src.random(7);
    ASSERT_TRUE(
        runCall(*runtime::makeCopy(src.operand(), dst.operand(), 2)).ok());
    for (int64_t flat = 0; flat < src.elements(); ++flat)
      ASSERT_EQ(dst.get(flat), src.get(flat));
  }
}

TEST(CpuSimple, CopyBroadcastsAndSkipsEmpty) {
  TestOperand src(DType::F32, {1, 6}), dst(DType::F32, {4, 6});
  runtime::Operand repeated = src.random(1).operand();
  repeated.shape = {4, 6};
  repeated.strides = {0, 1};
  ASSERT_TRUE(runCall(*runtime::makeCopy(repeated, dst.operand())).ok());
  for (int64_t flat = 0; flat < 24; ++flat)
    EXPECT_EQ(dst.get(flat), src.get(flat % 6));
  TestOperand nothing(DType::F32, {0, 6});
  runtime::Operand empty = nothing.operand();
  empty.data = nullptr;
  EXPECT_TRUE(runCall(*runtime::makeCopy(empty, empty)).ok());
}

TEST(CpuSimple, FillAndIota) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16,
                     DType::I32, DType::I64}) {
    TestOperand dst(type, {3, 4, 5}, {2, 0, 1}, 2);
    ASSERT_TRUE(runCall(*runtime::makeFill(dst.operand(), -2)).ok());
    for (int64_t flat = 0; flat < 60; ++flat)
      EXPECT_EQ(dst.get(flat), -2);
    ASSERT_TRUE(runCall(*runtime::makeIota(dst.operand(), 1, 7)).ok());
    for (int64_t flat = 0; flat < 60; ++flat)
      EXPECT_EQ(dst.get(flat), 7 + flat / 5 % 4);
  }
}

TEST(CpuSimple, Constant) {
  std::vector<int64_t> values = {7, -1, 40};
  for (DType type : {DType::I32, DType::I64}) {
    TestOperand dst(type, {3}, {}, 1);
    ASSERT_TRUE(runCall(*runtime::makeConstant(dst.operand(), values)).ok());
    for (int64_t flat = 0; flat < 3; ++flat)
      EXPECT_EQ(dst.get(flat), values[flat]);
  }
}

namespace {
runtime::EmbeddingArguments lookUp(TestOperand &table, TestOperand &ids,
                                   TestOperand &out, int64_t offset,
                                   int64_t vocab) {
  return {table.operand(), ids.operand(), out.operand(),
          offset,          vocab,         "input \"ids\""};
}
} // namespace

TEST(CpuSimple, EmbeddingOfAShard) {
  for (DType idType : {DType::I32, DType::I64}) {
    TestOperand table(DType::F32, {10, 6}, {}, 2), ids(idType, {2, 7}, {1, 0});
    TestOperand out(DType::F32, {2, 7, 6}, {1, 0, 2});
    table.random(1);
    for (int64_t flat = 0; flat < 14; ++flat)
      ids.set(flat, (flat * 5) % 30);
    auto call = runtime::makeEmbedding(lookUp(table, ids, out, 10, 30));
    ASSERT_TRUE(runCall(*call).ok());
    for (int64_t flat = 0; flat < 14; ++flat)
      for (int64_t d = 0; d < 6; ++d) {
        int64_t row = flat * 5 % 30 - 10;
        double expected = row >= 0 && row < 10 ? table.at({row, d}) : 0;
        EXPECT_EQ(out.get(flat * 6 + d), expected);
      }
  }
}

TEST(CpuSimple, EmbeddingRefusesIds) {
  for (int64_t bad : {-1, 30}) {
    TestOperand table(DType::F32, {30, 6}), ids(DType::I64, {3});
    TestOperand out(DType::F32, {3, 6});
    ids.set(2, static_cast<double>(bad));
    auto call = runtime::makeEmbedding(lookUp(table, ids, out, 0, 30));
    runtime::Status status = runCall(*call);
    EXPECT_EQ(status.kind, runtime::ErrorKind::User);
    EXPECT_EQ(status.message, "input \"ids\" holds " + std::to_string(bad) +
                                  ", which is outside [0, 30)");
  }
}

// Rows of two dims that lie around the rows: [3, rows, 4] with rows in front.
TEST(CpuSimple, EmbeddingOfRowsOfSeveralDims) {
  TestOperand table(DType::F32, {5, 3, 4}, {1, 0, 2}, 1), ids(DType::I32, {2});
  TestOperand out(DType::F32, {2, 3, 4}, {1, 0, 2}),
      back(DType::F32, {5, 3, 4});
  table.random(1);
  ids.set(0, 4);
  ids.set(1, 1);
  ASSERT_TRUE(
      runCall(*runtime::makeEmbedding(lookUp(table, ids, out, 0, 5))).ok());
  back.random(2);
  auto sum = runtime::makeEmbeddingGrad(
      {ids.operand(), out.operand(), back.operand(), 0, 5, "ids"}, 1);
  ASSERT_TRUE(runCall(*sum).ok());
  for (int64_t row = 0; row < 5; ++row)
    for (int64_t flat = 0; flat < 12; ++flat) {
      bool isNamed = row == 4 || row == 1;
      double held = table.at({row, flat / 4, flat % 4});
      EXPECT_EQ(back.at({row, flat / 4, flat % 4}), isNamed ? held : 0);
    }
}

// Repeated ids add up; ids of other ranks' rows count for nothing.
TEST(CpuSimple, EmbeddingGradOfAShard) {
  for (DType idType : {DType::I32, DType::I64})
    for (int64_t width : {6, 300})
      for (int threads : {1, 3}) {
        TestOperand out(DType::F32, {10, width}, {}, 2),
            ids(idType, {2, 70}, {1, 0});
        TestOperand dy(DType::F32, {2, 70, width}, {1, 0, 2}, 5);
        out.random(1);
        dy.random(2);
        std::vector<double> expected(10 * width, 0);
        for (int64_t flat = 0; flat < 140; ++flat) {
          int64_t id = flat * 5 % 31 % 30;
          ids.set(flat, static_cast<double>(id));
          for (int64_t d = 0; d < width && id >= 10 && id < 20; ++d)
            expected[(id - 10) * width + d] += dy.get(flat * width + d);
        }
        auto call = runtime::makeEmbeddingGrad(
            {ids.operand(), dy.operand(), out.operand(), 10, 30, "ids"},
            threads);
        ASSERT_TRUE(runCall(*call).ok());
        for (int64_t flat = 0; flat < out.elements(); ++flat)
          EXPECT_NEAR(out.get(flat), expected[flat], 1e-5);
      }
}

TEST(CpuSimple, EmbeddingGradOfColumnsApart) {
  TestOperand out(DType::F64, {4, 3}, {1, 0}), ids(DType::I32, {2});
  TestOperand dy(DType::F64, {2, 3}, {1, 0});
  dy.random(2);
  ids.set(0, 2);
  ids.set(1, 2);
  auto call = runtime::makeEmbeddingGrad(
      {ids.operand(), dy.operand(), out.operand(), 0, 4, "ids"}, 1);
  ASSERT_TRUE(runCall(*call).ok());
  for (int64_t d = 0; d < 3; ++d) {
    EXPECT_EQ(out.at({2, d}), dy.at({0, d}) + dy.at({1, d}));
    EXPECT_EQ(out.at({1, d}), 0);
  }
}

TEST(CpuSimple, EmbeddingGradRefusesIds) {
  TestOperand out(DType::F32, {30, 6}), ids(DType::I64, {3});
  TestOperand dy(DType::F32, {3, 6});
  ids.set(2, 30);
  auto call = runtime::makeEmbeddingGrad(
      {ids.operand(), dy.operand(), out.operand(), 0, 30, "input \"ids\""}, 1);
  runtime::Status status = runCall(*call);
  EXPECT_EQ(status.kind, runtime::ErrorKind::User);
  EXPECT_EQ(status.message, "input \"ids\" holds 30, which is outside [0, 30)");
}

// A part of a reduction that begins and ends inside a row.
TEST(CpuSimple, ReduceParts) {
  TestOperand a(DType::F32, {7, 50}, {}, 4), b(DType::F32, {7, 50}, {}, 1);
  TestOperand out(DType::F32, {7, 50}, {}, 9);
  a.random(1);
  b.random(2);
  runtime::Reduce reduce(plan::Reduction::Sum, out.operand(),
                         {a.operand(), b.operand()}, {0, 1});
  reduce.run(33, 217);
  for (int64_t flat = 0; flat < 350; ++flat) {
    float sum =
        static_cast<float>(a.get(flat)) + static_cast<float>(b.get(flat));
    EXPECT_EQ(out.get(flat), flat >= 33 && flat < 217 ? sum : 0);
  }
}
