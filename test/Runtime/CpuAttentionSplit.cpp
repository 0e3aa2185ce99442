//===- CpuAttentionSplit.cpp - attention by a matrix unit -----------------===//

#include "hocket/Cpu/SplitFunctions.h"
#include "test/Runtime/AttentionGradProblem.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

namespace {

/// Of out and lse, dq, dk and dv.
struct Errors {
  double forward, dq, dk, dv;
};
using Bits = std::vector<std::vector<uint8_t>>;

/// Skipped where the processor has no matrix unit, or the system grants none.
class CpuAttentionSplit : public testing::Test {
protected:
  void SetUp() override {
    if (!runtime::splitFunctions())
      GTEST_SKIP() << "there is no matrix unit";
  }
  void TearDown() override { runtime::setSplitFunctions(true); }

  /// Forward and gradients on `threads` threads, with the unit or without it.
  static Bits run(GradProblem &problem, bool isSplit, int threads = 1) {
    runtime::setSplitFunctions(isSplit);
    Bits bits;
    TestOperand *results[] = {&problem.out, &problem.lse, &problem.dq,
                              &problem.dk, &problem.dv};
    for (TestOperand *result : results)
      result->random(9);
    std::unique_ptr<runtime::Call> call;
    problem.makeGrad(threads, call);
    // The second run finds what the first one left in its memory.
    for (int repeat = 0; repeat < 2; ++repeat)
      EXPECT_TRUE(runCall(*call).ok());
    for (TestOperand *result : results)
      bits.push_back(result->bytes);
    return bits;
  }

  static Errors errorsOf(const GradProblem &problem, const Naive &naive) {
    return {worstOfForward(problem), worstOf(problem.dq, naive.dq),
            worstOf(problem.dk, naive.dk), worstOf(problem.dv, naive.dv)};
  }

  static void expectNear(const char *what, double split, double vectors) {
    EXPECT_LE(split, 2e-6) << what;
    EXPECT_LE(split, 2 * vectors + 3e-7) << what;
  }

  /// As finite, and as far as it is, equal to the last few bits.
  static void expectSame(const TestOperand &found, const Rows &expected) {
    double largest = 0;
    for (double value : expected)
      if (std::isfinite(value))
        largest = std::max(largest, std::abs(value));
    for (int64_t flat = 0; flat < found.elements(); ++flat) {
      double a = found.get(flat), b = expected[flat];
      ASSERT_EQ(std::isfinite(a), std::isfinite(b)) << flat;
      if (std::isfinite(a)) {
        ASSERT_LE(std::abs(a - b), 2e-6 * largest) << flat;
      }
    }
  }

  /// Errors are those of float32 products; results have other bits, and the
  /// same ones on other numbers of threads.
  static void expectExact(GradProblem &problem) {
    Bits vectors = run(problem, false);
    Naive naive(problem);
    Errors without = errorsOf(problem, naive);
    Bits split = run(problem, true);
    Errors with = errorsOf(problem, naive);
    EXPECT_NE(split[0], vectors[0]) << "the unit was not used";
    EXPECT_NE(split[3], vectors[3]) << "the unit was not used";
    expectNear("forward", with.forward, without.forward);
    expectNear("dq", with.dq, without.dq);
    expectNear("dk", with.dk, without.dk);
    expectNear("dv", with.dv, without.dv);
    for (int threads : {2, 3})
      EXPECT_EQ(run(problem, true, threads), split);
  }
};

} // namespace

TEST_F(CpuAttentionSplit, Shapes) {
  for (Extents e :
       {Extents{1, 2, 2, 130, 70, 64, 32}, Extents{1, 2, 1, 300, 1100, 64, 64},
        Extents{2, 1, 1, 33, 45, 32, 96}, Extents{1, 1, 1, 64, 32, 128, 32},
        Extents{3, 4, 2, 100, 129, 32, 32}, Extents{1, 1, 1, 700, 700, 64, 64}})
    for (bool causal : {false, true}) {
      SCOPED_TRACE(std::to_string(e.queries) + " x " + std::to_string(e.keys) +
                   (causal ? " causal" : ""));
      GradProblem problem(e);
      problem.given.causal = causal;
      problem.given.queryOffset = std::max<int64_t>(e.keys - e.queries, 0);
      expectExact(problem);
    }
}

TEST_F(CpuAttentionSplit, EveryLayout) {
  for (const std::vector<int> &order : memoryOrders) {
    GradProblem problem({2, 4, 2, 50, 90, 32, 64}, DType::F32, order);
    expectExact(problem);
  }
}

// Rows above the first key see none.
TEST_F(CpuAttentionSplit, CausalWithOffsets) {
  for (int64_t queryOffset : {60, 100, 513})
    for (int64_t keyOffset : {0, 37, 200}) {
      GradProblem problem({1, 2, 2, 150, 520, 32, 32});
      problem.given.causal = true;
      problem.given.queryOffset = queryOffset;
      problem.given.keyOffset = keyOffset;
      expectExact(problem);
    }
}

TEST_F(CpuAttentionSplit, WindowsMasksAndGroups) {
  GradProblem window({1, 2, 2, 400, 400, 32, 32});
  window.given.before = 70, window.given.after = 33;
  expectExact(window);
  GradProblem padded({3, 2, 2, 64, 300, 32, 32});
  padded.keepOnly([](int64_t b, int64_t j) {
    return b == 0 || (b == 1 && j % 3 == 0 && j > 150);
  });
  expectExact(padded); // batch entry 2 has nothing to attend to
  GradProblem shard({2, 4, 3, 40, 70, 32, 32});
  shard.given.group = 3, shard.given.headOffset = 4;
  shard.given.kvHeadOffset = 1;
  expectExact(shard);
  GradProblem documents({2, 2, 2, 300, 300, 32, 32});
  documents.number([](int64_t b, int64_t i) { return i / (90 + 50 * b); });
  documents.given.causal = true;
  expectExact(documents);
}

TEST_F(CpuAttentionSplit, BiasAndDropout) {
  GradProblem bias({2, 4, 2, 90, 301, 32, 32});
  bias.addLearnedBias({1, 4, 90, 301});
  expectExact(bias);
  Naive naive(bias);
  EXPECT_LE(worstOf(bias.dbias, naive.dbias), 3e-6);
  GradProblem dropped({2, 4, 2, 150, 300, 32, 32});
  int32_t step = 3;
  runtime::Operand number{&step, DType::I32, {}, {}};
  dropped.given.dropout = runtime::AttentionDropout(
      0.25, 77, number, 0, {2, 4, 150}, {4 * 150 * 300, 150 * 300, 300});
  expectExact(dropped);
}

// Weights are by the first keys: of later ones they are larger by powers that
// are kept, or too large.
TEST_F(CpuAttentionSplit, LaterKeysOutweighTheFirst) {
  for (double later : {1.5, 8.0, 30.0}) {
    SCOPED_TRACE(later);
    AttentionProblem problem({1, 1, 1, 130, 1100, 32, 32});
    for (int64_t flat = 0; flat < problem.q.elements(); ++flat)
      problem.q.set(flat, std::abs(problem.q.get(flat)) / 2);
    for (int64_t j = 0; j < 1100; ++j)
      for (int64_t d = 0; d < 32; ++d)
        problem.k.set(j * 32 + d,
                      j < 600 ? -1 - j % 5 * 0.25 : (j % 7 - 3) * later / 8);
    std::unique_ptr<runtime::Call> call;
    ASSERT_TRUE(runtime::makeAttention(problem.given, 1, call).ok());
    ASSERT_TRUE(runCall(*call).ok());
    EXPECT_LE(worstOfForward(problem), 4e-6 * later);
  }
}

// Whatever rows are beside a row, and wherever it is in a tile.
TEST_F(CpuAttentionSplit, RowsDoNotDependOnOthers) {
  GradProblem whole({1, 2, 2, 200, 300, 32, 32}), part = whole;
  whole.given.causal = part.given.causal = true;
  whole.given.queryOffset = 100;
  run(whole, true);
  GradProblem some({1, 2, 2, 90, 300, 32, 32});
  some.given.causal = true;
  some.given.queryOffset = 100 + 37;
  for (TestOperand *to : {&some.q, &some.dout}) {
    const TestOperand &from = to == &some.q ? whole.q : whole.dout;
    for (int64_t flat = 0; flat < to->elements(); ++flat)
      to->set(flat,
              from.at({0, flat / (90 * 32), flat / 32 % 90 + 37, flat % 32}));
  }
  run(some, true);
  for (int64_t flat = 0; flat < some.q.elements(); ++flat) {
    std::vector<int64_t> at = {0, flat / (90 * 32), flat / 32 % 90, flat % 32};
    std::vector<int64_t> in = {0, at[1], at[2] + 37, at[3]};
    ASSERT_EQ(some.out.at(at), whole.out.at(in));
    ASSERT_EQ(some.dq.at(at), whole.dq.at(in));
  }
}

// What has no parts that are exact is multiplied as it is without the unit.
TEST_F(CpuAttentionSplit, NumbersThatHaveNoParts) {
  for (double number : {double(NAN), double(INFINITY), 3.4e38, 1e-30})
    for (int which = 0; which < 4; ++which) {
      SCOPED_TRACE(std::to_string(number) + " in " + std::to_string(which));
      GradProblem problem({1, 1, 1, 70, 80, 32, 32});
      TestOperand *operands[] = {&problem.q, &problem.k, &problem.v,
                                 &problem.dout};
      if (number < 1)
        operands[which]->random(5, number);
      else
        operands[which]->set(32 * 40 + 3, number);
      Bits vectors = run(problem, false);
      std::vector<Rows> expected;
      for (const TestOperand *result : {&problem.dq, &problem.dk, &problem.dv})
        expected.push_back(dense(*result));
      Bits split = run(problem, true);
      EXPECT_TRUE(which == 3 || vectors[0] == split[0]);
      EXPECT_TRUE(which == 3 || vectors[1] == split[1]);
      // Tiles are others, and so is the order of sums.
      expectSame(problem.dq, expected[0]);
      expectSame(problem.dk, expected[1]);
      expectSame(problem.dv, expected[2]);
    }
}
