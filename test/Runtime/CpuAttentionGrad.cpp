//===- CpuAttentionGrad.cpp - its gradients against loops in double -------===//

#include "test/Runtime/AttentionGradProblem.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

namespace {

void check(GradProblem &problem, int threads = 1) {
  std::unique_ptr<runtime::Call> call;
  problem.makeGrad(threads, call);
  double tolerance = problem.q.type == DType::F64   ? 1e-12
                     : problem.q.type == DType::F32 ? 3e-6
                                                    : 1e-2;
  Naive naive(problem);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (TestOperand *result : {&problem.dq, &problem.dk, &problem.dv})
      result->random(7);
    ASSERT_TRUE(runCall(*call).ok());
    EXPECT_LE(worstOf(problem.dq, naive.dq), tolerance);
    EXPECT_LE(worstOf(problem.dk, naive.dk), tolerance);
    EXPECT_LE(worstOf(problem.dv, naive.dv), tolerance);
  }
}

} // namespace

TEST(CpuAttentionGrad, Shapes) {
  for (Extents e :
       {Extents{1, 1, 1, 1, 1, 1, 1}, Extents{2, 3, 3, 17, 23, 16, 16},
        Extents{1, 2, 2, 130, 70, 8, 24}, Extents{2, 1, 1, 5, 300, 64, 64},
        Extents{1, 2, 2, 1, 40, 32, 1}, Extents{1, 1, 1, 300, 1100, 16, 8},
        Extents{3, 12, 4, 40, 40, 16, 16}, Extents{1, 6, 1, 140, 33, 7, 5}})
    for (bool causal : {false, true}) {
      SCOPED_TRACE(std::to_string(e.queries) + " x " + std::to_string(e.keys) +
                   (causal ? " causal" : ""));
      GradProblem problem(e);
      problem.given.causal = causal;
      problem.given.queryOffset = causal ? e.keys - e.queries : 0;
      check(problem);
      check(problem, 2);
    }
}

TEST(CpuAttentionGrad, EveryLayout) {
  for (const std::vector<int> &order : memoryOrders) {
    GradProblem problem({2, 4, 2, 33, 41, 16, 8}, DType::F32, order);
    check(problem);
  }
}

// What a rank holds of a longer sequence: rows above its first key see none.
TEST(CpuAttentionGrad, CausalWithOffsets) {
  for (int64_t queryOffset : {0, 100, 513})
    for (int64_t keyOffset : {0, 37, 200, 700}) {
      GradProblem problem({1, 2, 2, 150, 520, 16, 16});
      problem.given.causal = true;
      problem.given.queryOffset = queryOffset;
      problem.given.keyOffset = keyOffset;
      check(problem);
    }
}

TEST(CpuAttentionGrad, PaddingAndRowsWithNothing) {
  for (bool causal : {false, true})
    for (int64_t keys : {60, 1500}) {
      GradProblem problem({3, 2, 2, 40, keys, 16, 16});
      problem.given.causal = causal;
      problem.given.queryOffset = keys - 40;
      problem.keepOnly([&](int64_t b, int64_t j) {
        return b == 0 || (b == 1 && j % 3 == 0 && j > keys / 2);
      });
      check(problem); // batch entry 2 has nothing to attend to: zeros
    }
}

// Heads 4 to 7 of 12, three to a kv head: local kv heads 0, 0, 1, 1; nothing
// reads local kv head 2, whose gradients are zero.
TEST(CpuAttentionGrad, GroupedHeadsOfAShard) {
  GradProblem problem({2, 4, 3, 20, 30, 16, 16});
  problem.given.group = 3;
  problem.given.headOffset = 4;
  problem.given.kvHeadOffset = 1;
  check(problem);
  problem.given.headOffset = 3; // 3 heads of kv head 0, one of 1
  check(problem, 2);
}

TEST(CpuAttentionGrad, OtherTypes) {
  for (DType type : {DType::F64, DType::BF16, DType::F16}) {
    GradProblem problem({2, 4, 2, 20, 300, 16, 8}, type);
    problem.given.causal = true;
    problem.given.queryOffset = 200;
    problem.keepOnly([](int64_t b, int64_t j) { return b == 0 || j > 210; });
    check(problem);
    check(problem, 2);
  }
}

TEST(CpuAttentionGrad, DroppedWeights) {
  for (DType type : {DType::F32, DType::F64}) {
    GradProblem problem({2, 4, 2, 150, 300, 16, 8}, type);
    int32_t step = 3;
    runtime::Operand number{&step, DType::I32, {}, {}};
    problem.given.causal = true;
    problem.given.queryOffset = 150;
    problem.given.dropout = runtime::AttentionDropout(
        0.25, 77, number, 0, {2, 4, 150}, {4 * 150 * 300, 150 * 300, 300});
    check(problem, 2);
  }
}

TEST(CpuAttentionGrad, ThreadsDoNotChangeTheSums) {
  for (int64_t heads : {1, 3}) {
    GradProblem problem({1, heads, 1, 700, 300, 16, 16});
    std::vector<uint8_t> first[3];
    for (int threads : {1, 2, 3}) {
      std::unique_ptr<runtime::Call> call;
      problem.makeGrad(threads, call);
      ASSERT_TRUE(runCall(*call).ok());
      const TestOperand *results[] = {&problem.dq, &problem.dk, &problem.dv};
      for (int i = 0; i < 3; ++i) {
        if (threads == 1)
          first[i] = results[i]->bytes;
        EXPECT_EQ(first[i], results[i]->bytes);
      }
    }
  }
}

TEST(CpuAttentionGrad, NoKeysGiveZeros) {
  GradProblem problem({1, 2, 2, 5, 0, 8, 8});
  check(problem);
}

// One weight of a row is nearly 1: what cancels in dS is exact, so that
// gradients are right to their own size.
TEST(CpuAttentionGrad, NearlyAllWeightOnOneKey) {
  for (int64_t keys : {1, 2, 40}) {
    SCOPED_TRACE(keys);
    GradProblem problem({1, 1, 1, 1, keys, 16, 16});
    Rows q = dense(problem.q), k = dense(problem.k), scores(keys, 0);
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t d = 0; d < 16; ++d)
        scores[j] += q[d] * k[j * 16 + d];
    std::sort(scores.rbegin(), scores.rend());
    if (keys > 1)
      problem.given.scale = std::log(1e5) / (scores[0] - scores[1]);
    std::unique_ptr<runtime::Call> call;
    problem.makeGrad(1, call);
    ASSERT_TRUE(runCall(*call).ok());
    Naive naive(problem);
    for (auto [found, expected] : {std::pair(&problem.dq, &naive.dq),
                                   std::pair(&problem.dk, &naive.dk)}) {
      double largest = 0, worst = 0;
      for (int64_t i = 0; i < found->elements(); ++i) {
        largest = std::max(largest, std::abs((*expected)[i]));
        worst = std::max(worst, std::abs(found->get(i) - (*expected)[i]));
      }
      EXPECT_LE(worst, 2e-5 * largest);
    }
  }
}
