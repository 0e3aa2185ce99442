//===- CpuAttention.cpp - attention against a naive loop in double --------===//

#include "test/Runtime/AttentionProblem.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

namespace {

/// `most`: how large scores are, whose rounding weights show.
void check(AttentionProblem &problem, int threads = 1, double most = 1) {
  std::unique_ptr<runtime::Call> call;
  runtime::setLibraryThreads(threads);
  runtime::Status status = runtime::makeAttention(problem.given, threads, call);
  runtime::setLibraryThreads(1);
  ASSERT_TRUE(status.ok()) << status.message;
  double tolerance = problem.out.type == DType::F64   ? 1e-12
                     : problem.out.type == DType::F32 ? 2e-6
                                                      : 1e-2;
  for (int repeat = 0; repeat < 2; ++repeat) {
    problem.out.random(4);
    problem.lse.random(5);
    ASSERT_TRUE(runCall(*call).ok());
    EXPECT_LE(worstOfForward(problem), tolerance * most);
  }
}

} // namespace

TEST(CpuAttention, Shapes) {
  for (Extents e :
       {Extents{1, 1, 1, 1, 1, 1, 1}, Extents{2, 3, 3, 17, 23, 16, 16},
        Extents{1, 2, 2, 130, 70, 8, 24}, Extents{2, 1, 1, 5, 300, 64, 64},
        Extents{1, 2, 2, 1, 40, 32, 1}, Extents{1, 1, 1, 600, 1100, 16, 8}})
    for (bool causal : {false, true}) {
      SCOPED_TRACE(std::to_string(e.queries) + " x " + std::to_string(e.keys) +
                   (causal ? " causal" : ""));
      AttentionProblem problem(e);
      problem.given.causal = causal;
      problem.given.queryOffset = causal ? e.keys - e.queries : 0;
      check(problem);
      check(problem, 2);
    }
}

TEST(CpuAttention, EveryLayout) {
  for (const std::vector<int> &order : memoryOrders) {
    AttentionProblem problem({2, 4, 2, 33, 41, 16, 8}, DType::F32, order);
    check(problem);
  }
}

// What a rank holds of a longer sequence: rows above its first key see none.
TEST(CpuAttention, CausalWithOffsets) {
  for (int64_t queryOffset : {0, 100, 513})
    for (int64_t keyOffset : {0, 37, 200, 700}) {
      AttentionProblem problem({1, 2, 2, 150, 520, 16, 16});
      problem.given.causal = true;
      problem.given.queryOffset = queryOffset;
      problem.given.keyOffset = keyOffset;
      check(problem);
    }
}

TEST(CpuAttention, PaddingAndRowsWithNothing) {
  for (bool causal : {false, true})
    for (int64_t keys : {60, 1500}) {
      AttentionProblem problem({3, 2, 2, 40, keys, 16, 16});
      problem.given.causal = causal;
      problem.given.queryOffset = keys - 40;
      problem.keepOnly([&](int64_t b, int64_t j) {
        return b == 0 || (b == 1 && j % 3 == 0 && j > keys / 2);
      });
      check(problem); // batch entry 2 has nothing to attend to: zeros
    }
}

// Heads 4 to 7 of 12, three to a kv head: local kv heads 1, 1, 2, 2 - 1.
TEST(CpuAttention, GroupedHeadsOfAShard) {
  AttentionProblem problem({2, 4, 2, 20, 30, 16, 16});
  problem.given.group = 3;
  problem.given.headOffset = 4;
  problem.given.kvHeadOffset = 1;
  check(problem);
}

TEST(CpuAttention, OtherTypes) {
  for (DType type : {DType::F64, DType::BF16, DType::F16}) {
    AttentionProblem problem({2, 2, 1, 20, 700, 16, 16}, type);
    problem.given.causal = true;
    problem.given.queryOffset = 400;
    problem.keepOnly([](int64_t b, int64_t j) { return b == 0 || j > 600; });
    check(problem);
    check(problem, 2);
  }
}

TEST(CpuAttention, LargeScoresStayFinite) {
  AttentionProblem problem({1, 1, 1, 64, 600, 16, 16});
  problem.q.random(1, 300);
  problem.k.random(2, 300);
  std::unique_ptr<runtime::Call> call;
  ASSERT_TRUE(runtime::makeAttention(problem.given, 1, call).ok());
  ASSERT_TRUE(runCall(*call).ok());
  for (int64_t flat = 0; flat < problem.out.elements(); ++flat)
    ASSERT_LE(std::abs(problem.out.get(flat)), 1.0001);
}

// Weights are by the first keys: of later ones they are larger by powers that
// are kept, too large, infinite, or all nothing.
TEST(CpuAttention, LaterKeysOutweighTheFirst) {
  for (double later : {1.5, 8.0, 30.0, 400.0})
    for (int64_t first : {64, 100, 512, 700}) {
      SCOPED_TRACE(std::to_string(later) + " from " + std::to_string(first));
      AttentionProblem problem({1, 1, 1, 130, 1100, 16, 16});
      for (int64_t flat = 0; flat < problem.q.elements(); ++flat)
        problem.q.set(flat, std::abs(problem.q.get(flat)));
      for (int64_t j = 0; j < 1100; ++j)
        for (int64_t d = 0; d < 16; ++d)
          problem.k.set(j * 16 + d, j < first ? -1 - j % 5 * 0.25
                                              : (j % 7 - 3) * later / 8);
      check(problem, 1, later);
    }
}

TEST(CpuAttention, NoKeysGiveZeros) {
  AttentionProblem problem({1, 2, 2, 5, 0, 8, 8});
  check(problem);
}
