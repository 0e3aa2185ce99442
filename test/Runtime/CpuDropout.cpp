//===- CpuDropout.cpp - dropped weights of attention ----------------------===//

#include "hocket/Cpu/Attention.h"
#include "test/Runtime/TestOperand.h"
#include <gtest/gtest.h>

namespace hocket::runtime {
extern const VectorFunctions vectorFunctionsV3, vectorFunctionsV4;
}

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using runtime::AttentionArguments;

namespace {

constexpr uint64_t key = 0x9e3779b97f4a7c15;

float factor(uint64_t element, double p, int32_t step) {
  uint32_t word =
      runtime::wordOfElement(key, element, step, runtime::Purpose::Dropout);
  return word < runtime::dropThreshold(p) ? 0 : float(1 / (1 - p));
}

TEST(DropRow, WordsOfAnyRange) {
  for (const auto *functions :
       {&runtime::vectorFunctionsV3, &runtime::vectorFunctions()})
    for (uint64_t first : {uint64_t(0), uint64_t(5), uint64_t(62),
                           (uint64_t(1) << 34) - 6, ~uint64_t(0) / 8})
      for (int64_t count : {0, 1, 3, 61, 64, 66, 200}) {
        std::vector<float> row(count + 1, 2);
        functions->dropRow({row.data(), count, first, key, 9,
                            runtime::dropThreshold(0.4), float(1 / 0.6)});
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ(row[i], 2 * factor(first + i, 0.4, 9))
              << functions->name << " " << first << " + " << i;
        EXPECT_EQ(row[count], 2);
      }
}

/// Two query heads for each kv head; a rank that holds queries [3, 3 + s) of
/// 100 and heads 4 to 7 of 8, so that rows of weights are not consecutive.
struct Problem {
  explicit Problem(DType type, int64_t queries = 37, int64_t keys = 70)
      : q(type, {2, 4, queries, 16}, {0, 2, 1, 3}),
        k(type, {2, 2, keys, 16}, {0, 2, 1, 3}),
        v(type, {2, 2, keys, 8}, {0, 2, 1, 3}),
        out(type, {2, 4, queries, 8}, {0, 2, 1, 3}),
        lse(type, {2, 4, queries}) {
    given.q = q.random(1, 2).operand();
    given.k = k.random(2, 2).operand();
    given.v = v.random(3).operand();
    given.out = out.operand();
    given.lse = lse.operand();
    given.scale = 0.25;
    given.group = 2;
    given.causal = true;
    given.queryOffset = keys - queries;
    given.dropout = {0.3,
                     key,
                     {&step, DType::I32, {}, {}},
                     uint64_t((4 * 100 + 3) * keys),
                     {2, 4, queries},
                     {8 * 100 * keys, 100 * keys, keys}};
  }
  uint64_t weight(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return ((b * 8 + 4 + h) * 100 + 3 + i) * k.shape[2] + j;
  }
  void run(int threads = 1) {
    std::unique_ptr<runtime::Call> call;
    ASSERT_TRUE(runtime::makeAttention(given, threads, call).ok());
    ASSERT_TRUE(runCall(*call).ok());
  }

  int32_t step = 9;
  TestOperand q, k, v, out, lse;
  AttentionArguments given;
};

double farthest(const TestOperand &a, const TestOperand &b) {
  double worst = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    double apart = std::abs(a.get(i) - b.get(i));
    worst = apart <= worst ? worst : apart;
  }
  return worst;
}

TEST(DroppedWeights, AreThoseOfTheWholeTensor) {
  Problem problem(DType::F64);
  problem.run();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t i = 0; i < 37; ++i) {
        std::vector<double> row(8, 0);
        double total = 0;
        for (int64_t j = 0; j <= i + 33; ++j) {
          double score = 0;
          for (int64_t d = 0; d < 16; ++d)
            score +=
                problem.q.at({b, h, i, d}) * problem.k.at({b, h / 2, j, d});
          double weight = std::exp(score / 4);
          total += weight;
          weight *= factor(problem.weight(b, h, i, j), 0.3, 9);
          for (int64_t d = 0; d < 8; ++d)
            row[d] += weight * problem.v.at({b, h / 2, j, d});
        }
        for (int64_t d = 0; d < 8; ++d)
          ASSERT_NEAR(problem.out.at({b, h, i, d}), row[d] / total, 1e-6);
      }
}

TEST(DroppedWeights, TilesAndThreads) {
  for (auto [queries, keys] :
       {std::pair<int64_t, int64_t>{37, 70}, {130, 600}, {1, 5}}) {
    Problem plain(DType::F64, queries, keys), tiled(DType::F32, queries, keys);
    plain.run();
    tiled.run();
    EXPECT_LE(farthest(plain.out, tiled.out), 1e-5);
    TestOperand one = tiled.out;
    tiled.run(2);
    EXPECT_EQ(farthest(one, tiled.out), 0);
    // The step is read at each run.
    tiled.step = 10;
    tiled.run();
    EXPECT_GT(farthest(one, tiled.out), 0.01);
  }
}

/// A forward problem with the gradient of its result.
struct GradProblem : Problem {
  explicit GradProblem(DType type, int64_t queries = 37, int64_t keys = 70)
      : Problem(type, queries, keys), dq(type, q.shape), dk(type, k.shape),
        dv(type, v.shape), dout(type, out.shape, {0, 2, 1, 3}) {
    gradient = {given, dout.random(4).operand(), dq.operand(), dk.operand(),
                dv.operand()};
  }
  void runGrad(int threads = 1) {
    run(threads);
    std::unique_ptr<runtime::Call> call;
    ASSERT_TRUE(runtime::makeAttentionGrad(gradient, threads, call).ok());
    ASSERT_TRUE(runCall(*call).ok());
  }

  TestOperand dq, dk, dv, dout;
  runtime::AttentionGradArguments gradient;
};

TEST(DroppedWeights, GradientsAreThoseOfTheForward) {
  GradProblem problem(DType::F64, 5, 9);
  problem.runGrad();
  constexpr double step = 1e-5;
  auto check = [&](TestOperand &x, const TestOperand &gradient) {
    for (int64_t i = 0; i < x.elements(); i += 3) {
      double before = x.get(i), change = 0;
      for (double sign : {1.0, -1.0}) {
        x.set(i, before + sign * step);
        problem.run();
        for (int64_t o = 0; o < problem.out.elements(); ++o)
          change += sign * problem.out.get(o) * problem.dout.get(o);
      }
      x.set(i, before);
      EXPECT_NEAR(gradient.get(i), change / (2 * step), 1e-6);
    }
  };
  check(problem.q, problem.dq);
  check(problem.k, problem.dk);
  check(problem.v, problem.dv);
}

TEST(DroppedWeights, GradientsByBlocks) {
  for (auto [queries, keys] :
       {std::pair<int64_t, int64_t>{37, 70}, {130, 600}}) {
    GradProblem plain(DType::F64, queries, keys),
        blocked(DType::F32, queries, keys);
    plain.runGrad();
    blocked.runGrad(2);
    EXPECT_LE(farthest(plain.dq, blocked.dq), 1e-4);
    EXPECT_LE(farthest(plain.dk, blocked.dk), 1e-4);
    EXPECT_LE(farthest(plain.dv, blocked.dv), 1e-4);
  }
}

} // namespace
