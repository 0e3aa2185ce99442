//===- CpuAttentionBlocks.cpp - attention of visited keys in double -------===//

#include "test/Runtime/AttentionGradProblem.h"
#include "test/Runtime/RandomLayout.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

// Lengths that are no multiple of a tile, a panel or a block.
TEST(CpuAttentionBlocks, BlocksAndLengths) {
  for (int64_t block : {16, 32, 64, 24, 200})
    for (Extents e :
         {Extents{1, 2, 2, 150, 150, 16, 16}, Extents{2, 2, 1, 601, 601, 8, 24},
          Extents{1, 1, 1, 40, 300, 7, 5}}) {
      SCOPED_TRACE(std::to_string(block) + " of " + std::to_string(e.keys));
      GradProblem problem(e);
      RandomLayout layout{block, e.heads, e.keys / block + 1};
      layout.draw(uint32_t(block + e.keys));
      layout.give(problem);
      expectRightOnThreads(problem);
    }
}

// One list for all heads, with neighbouring rows that visit the same keys.
TEST(CpuAttentionBlocks, EqualHeadsAndRows) {
  for (int64_t block : {16, 64}) {
    GradProblem problem({1, 3, 3, 500, 500, 16, 16});
    RandomLayout layout{block, 3, 500 / block + 1, 2, false};
    layout.draw(3);
    for (int64_t row = 1; row < layout.rows; ++row)
      for (int64_t column = 0; column < layout.rows && row % 4 != 0; ++column)
        layout.seen[row * layout.rows + column] =
            layout.seen[(row - 1) * layout.rows + column];
    layout.give(problem);
    expectRightOnThreads(problem);
  }
}

// What a rank holds of a longer sequence and of more heads; causality and a
// window cut blocks.
TEST(CpuAttentionBlocks, OffsetsAndLimits) {
  for (int64_t queryOffset : {0, 100, 513})
    for (int64_t keyOffset : {0, 37, 200})
      for (int64_t block : {keyOffset == 37 ? 16 : 64})
        for (auto [causal, before, after] :
             {std::tuple<bool, int64_t, int64_t>{true, -1, -1},
              {false, 70, 30},
              {true, 90, -1}}) {
          SCOPED_TRACE(std::to_string(block) + " " +
                       std::to_string(queryOffset) + " " +
                       std::to_string(keyOffset));
          GradProblem problem({1, 4, 2, 150, 420, 16, 8});
          problem.given.causal = causal;
          problem.given.before = before, problem.given.after = after;
          problem.given.queryOffset = queryOffset;
          problem.given.keyOffset = keyOffset;
          problem.given.group = 3, problem.given.headOffset = 4;
          problem.given.kvHeadOffset = 1;
          RandomLayout layout{block, 8, 700 / block + 1};
          layout.draw(uint32_t(queryOffset + keyOffset));
          layout.give(problem);
          expectRightOnThreads(problem);
        }
}

TEST(CpuAttentionBlocks, EveryMemoryOrder) {
  for (const std::vector<int> &order : memoryOrders) {
    GradProblem problem({2, 4, 2, 133, 133, 16, 8}, DType::F32, order);
    RandomLayout layout{32, 4, 5};
    layout.draw(7);
    layout.give(problem);
    expectRightOnThreads(problem);
  }
}

TEST(CpuAttentionBlocks, PaddingAndDropout) {
  for (DType type : {DType::F32, DType::F64})
    for (int64_t keyOffset : {0, 40}) {
      GradProblem problem({3, 4, 2, 100, 210, 16, 8}, type);
      int32_t step = 3;
      runtime::Operand number{&step, DType::I32, {}, {}};
      problem.given.keyOffset = keyOffset;
      problem.given.causal = true;
      problem.given.queryOffset = 110 + keyOffset;
      problem.given.dropout = runtime::AttentionDropout(
          0.25, 77, number, 5, {3, 4, 100}, {4 * 100 * 400, 100 * 400, 400});
      problem.keepOnly([](int64_t b, int64_t j) {
        return b == 0 || (b == 1 && j % 3 == 0 && j > 100);
      });
      RandomLayout layout{32, 4, 13, 2};
      layout.draw(11);
      layout.give(problem);
      expectRightOnThreads(problem);
    }
}

TEST(CpuAttentionBlocks, OtherTypes) {
  for (DType type : {DType::F64, DType::BF16, DType::F16}) {
    GradProblem problem({2, 4, 2, 70, 300, 16, 8}, type);
    problem.given.causal = true;
    problem.given.queryOffset = 200;
    problem.keepOnly([](int64_t b, int64_t j) { return b == 0 || j > 90; });
    RandomLayout layout{16, 4, 20, 2};
    layout.draw(13);
    layout.give(problem);
    expectRightOnThreads(problem);
  }
}

// Nothing is computed with what no row visits: numbers there would spread.
TEST(CpuAttentionBlocks, UnvisitedBlocksAreNotRead) {
  for (DType type : {DType::F32, DType::F64}) {
    GradProblem problem({1, 2, 2, 400, 400, 16, 16}, type);
    auto unseen = [](int64_t column) { return column % 4 == 1; };
    RandomLayout layout{16, 2, 25};
    layout.unseen = unseen;
    layout.draw(17);
    layout.give(problem);
    auto isUnseen = [&](int64_t flat) { return unseen(flat / 16 % 400 / 16); };
    for (TestOperand *operand : {&problem.k, &problem.v})
      for (int64_t flat = 0; flat < operand->elements(); ++flat)
        if (isUnseen(flat))
          operand->set(flat, NAN);
    std::unique_ptr<runtime::Call> call;
    problem.makeGrad(2, call);
    ASSERT_TRUE(runCall(*call).ok());
    for (TestOperand *result :
         {&problem.out, &problem.dq, &problem.dk, &problem.dv})
      for (int64_t flat = 0; flat < result->elements(); ++flat)
        ASSERT_TRUE(std::isfinite(result->get(flat)));
    for (TestOperand *result : {&problem.dk, &problem.dv})
      for (int64_t flat = 0; flat < result->elements(); ++flat)
        if (isUnseen(flat))
          ASSERT_EQ(result->get(flat), 0);
  }
}

// All blocks give what no layout gives.
TEST(CpuAttentionBlocks, AllBlocksAreDense) {
  AttentionProblem problem({1, 2, 2, 300, 300, 16, 16});
  problem.given.causal = true;
  std::unique_ptr<runtime::Call> call;
  ASSERT_TRUE(runtime::makeAttention(problem.given, 1, call).ok());
  ASSERT_TRUE(runCall(*call).ok());
  Rows without = dense(problem.out);
  RandomLayout layout{64, 2, 5, 1};
  layout.empty = [](int64_t) { return false; };
  layout.draw(1);
  layout.give(problem);
  ASSERT_TRUE(runtime::makeAttention(problem.given, 1, call).ok());
  ASSERT_TRUE(runCall(*call).ok());
  Rows with = dense(problem.out);
  for (size_t i = 0; i < with.size(); ++i)
    ASSERT_NEAR(with[i], without[i], 2e-6);
}
