//===- CpuAttentionDocuments.cpp - attention of packed documents ----------===//

#include "test/Runtime/AttentionGradProblem.h"
#include "test/Runtime/RandomLayout.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

namespace {

/// Documents of these lengths, one after another; the last one goes on.
std::function<int64_t(int64_t, int64_t)> packed(std::vector<int64_t> lengths) {
  return [lengths](int64_t, int64_t i) {
    int64_t number = 0;
    for (int64_t length : lengths) {
      if (i < length)
        return number;
      i -= length;
      ++number;
    }
    return number;
  };
}

/// Numbers in no order, some far apart; batch entries differ.
int64_t scattered(int64_t b, int64_t i) {
  const int64_t numbers[] = {-7, 0, 3, 4000000, 3};
  return numbers[(i * i + 3 * b + i / 50) % 5];
}

/// An operand of [b, h, row, d] from row `first` on, `count` rows.
runtime::Operand rowsOf(TestOperand &from, int64_t first, int64_t count) {
  runtime::Operand part = from.operand();
  part.data = static_cast<char *>(part.data) +
              first * part.strides[2] * plan::byteSize(part.type);
  part.shape[2] = count;
  return part;
}

} // namespace

// What a packed sequence gives is what its documents give one by one, with
// gradients.
TEST(CpuAttentionDocuments, PackedAreApart) {
  const std::vector<int64_t> lengths = {200, 37, 150, 1, 260, 128};
  int64_t all = 0;
  for (int64_t length : lengths)
    all += length;
  for (DType type : {DType::F32, DType::F64, DType::BF16})
    for (bool causal : {false, true}) {
      Extents e{2, 4, 2, all, all, 16, 8};
      GradProblem together(e, type), apart(e, type);
      for (GradProblem *problem : {&together, &apart})
        problem->given.causal = causal;
      together.number(packed(lengths));
      std::unique_ptr<runtime::Call> call;
      together.makeGrad(2, call);
      ASSERT_TRUE(runCall(*call).ok());
      int64_t first = 0;
      for (int64_t length : lengths) {
        auto part = [&](TestOperand &x) { return rowsOf(x, first, length); };
        runtime::AttentionGradArguments one{apart.given, part(apart.dout),
                                            part(apart.dq), part(apart.dk),
                                            part(apart.dv)};
        one.forward.q = part(apart.q), one.forward.k = part(apart.k);
        one.forward.v = part(apart.v), one.forward.out = part(apart.out);
        one.forward.lse = part(apart.lse);
        ASSERT_TRUE(runtime::makeAttention(one.forward, 1, call).ok());
        ASSERT_TRUE(runCall(*call).ok());
        ASSERT_TRUE(runtime::makeAttentionGrad(one, 1, call).ok());
        ASSERT_TRUE(runCall(*call).ok());
        first += length;
      }
      double tolerance = toleranceOf(type);
      EXPECT_LE(worstOf(together.out, dense(apart.out)), tolerance);
      EXPECT_LE(worstOf(together.lse, dense(apart.lse)), tolerance);
      EXPECT_LE(worstOf(together.dq, dense(apart.dq)), tolerance);
      EXPECT_LE(worstOf(together.dk, dense(apart.dk)), tolerance);
      EXPECT_LE(worstOf(together.dv, dense(apart.dv)), tolerance);
    }
}

TEST(CpuAttentionDocuments, AnyNumbers) {
  for (DType type : {DType::F32, DType::F64})
    for (Extents e :
         {Extents{2, 4, 2, 150, 150, 16, 8}, Extents{1, 2, 1, 300, 601, 8, 24},
          Extents{2, 1, 1, 5, 40, 7, 5}}) {
      SCOPED_TRACE(std::to_string(e.queries) + " x " + std::to_string(e.keys));
      GradProblem problem(e, type);
      problem.number(scattered);
      expectRightOnThreads(problem);
    }
}

// Numbers that agree in 32 bits are two.
TEST(CpuAttentionDocuments, LongNumbers) {
  GradProblem problem({1, 2, 2, 90, 90, 8, 8});
  problem.number([](int64_t, int64_t i) { return int64_t(i % 3) << 32 | 5; },
                 DType::I64);
  expectRightOnThreads(problem);
}

// Ranks hold other parts of queries than of keys; causality, windows, padding
// and dropout hide besides.
TEST(CpuAttentionDocuments, OtherMasks) {
  int32_t step = 3;
  runtime::Operand number{&step, DType::I32, {}, {}};
  for (DType type : {DType::F32, DType::F64})
    for (bool isSorted : {false, true})
      for (auto [causal, before, after, queryOffset, keyOffset] :
           {std::tuple<bool, int64_t, int64_t, int64_t, int64_t>{true, -1, -1,
                                                                 0, 0},
            {true, -1, -1, 130, 37},
            {false, 70, 30, 150, 100},
            {false, -1, -1, 40, 200}}) {
        GradProblem problem({2, 2, 1, 140, 260, 8, 8}, type);
        problem.given.causal = causal;
        problem.given.before = before, problem.given.after = after;
        problem.given.queryOffset = queryOffset;
        problem.given.keyOffset = keyOffset;
        problem.given.dropout = runtime::AttentionDropout(
            0.25, 77, number, 5, {2, 2, 140}, {2 * 140 * 500, 140 * 500, 500});
        problem.keepOnly([](int64_t b, int64_t j) { return b == 0 || j % 3; });
        problem.number(isSorted ? packed({50, 100, 20, 130, 60}) : scattered);
        expectRightOnThreads(problem);
      }
}

TEST(CpuAttentionDocuments, UnderBlockLayouts) {
  for (DType type : {DType::F32, DType::F64})
    for (int64_t block : {16, 64})
      for (bool isSorted : {false, true}) {
        GradProblem problem({1, 4, 2, 250, 250, 8, 8}, type);
        problem.given.causal = isSorted;
        problem.number(isSorted ? packed({50, 100, 20, 130}) : scattered);
        RandomLayout layout{block, 4, 250 / block + 1};
        layout.draw(uint32_t(block));
        layout.give(problem);
        expectRightOnThreads(problem);
      }
}

// A query of a document without keys gives zeros and has no gradient; a key
// that no query sees gets none.
TEST(CpuAttentionDocuments, NothingToSee) {
  for (DType type : {DType::F32, DType::F64, DType::F16}) {
    GradProblem problem({2, 2, 1, 140, 290, 16, 8}, type);
    problem.given.queryOffset = 1000; // others than keys
    problem.number([](int64_t b, int64_t i) {
      return i < 1000 ? int64_t(b) : i % 2 == 0 || b == 1 ? 5 : 0;
    });
    expectRightOnThreads(problem);
    for (int64_t i = 0; i < 140; ++i)
      for (int64_t d = 0; d < 8; ++d) {
        EXPECT_EQ(problem.out.at({1, 0, i, d}), 0);
        EXPECT_EQ(problem.dq.at({1, 0, i, d}), 0);
      }
    EXPECT_EQ(problem.lse.at({1, 0, 7}), -INFINITY);
  }
}

// Nothing is computed with tiles of other documents: numbers there would
// spread.
TEST(CpuAttentionDocuments, OtherDocumentsAreNotRead) {
  for (bool hasLayout : {false, true})
    for (DType type : {DType::F32, DType::F64}) {
      GradProblem problem({1, 2, 2, 256, 512, 16, 16}, type);
      RandomLayout layout{32, 2, 16, 1};
      layout.empty = [](int64_t) { return false; };
      layout.draw(1);
      if (hasLayout)
        layout.give(problem);
      // Keys 256 to 383 are of a document that no query is of.
      problem.number([](int64_t, int64_t i) { return int64_t(i / 128); });
      for (TestOperand *operand : {&problem.k, &problem.v})
        for (int64_t flat = 0; flat < operand->elements(); ++flat)
          if (flat / 16 % 512 / 128 == 2)
            operand->set(flat, NAN);
      std::unique_ptr<runtime::Call> call;
      problem.makeGrad(2, call);
      ASSERT_TRUE(runCall(*call).ok());
      for (TestOperand *result :
           {&problem.out, &problem.dq, &problem.dk, &problem.dv})
        for (int64_t flat = 0; flat < result->elements(); ++flat)
          ASSERT_TRUE(std::isfinite(result->get(flat)));
      EXPECT_EQ(problem.dk.at({0, 0, 300, 3}), 0);
    }
}

// A scale of 0 or below hides what it hides.
TEST(CpuAttentionDocuments, AnyScale) {
  for (double scale : {0.0, -0.5}) {
    GradProblem problem({1, 2, 2, 150, 150, 8, 8});
    problem.given.scale = scale;
    problem.number(scattered);
    expectRightOnThreads(problem);
  }
}
