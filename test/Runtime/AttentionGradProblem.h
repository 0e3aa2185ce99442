//===- AttentionGradProblem.h - gradients in double ------------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_ATTENTIONGRADPROBLEM_H
#define HOCKET_TEST_RUNTIME_ATTENTIONGRADPROBLEM_H

#include "test/Runtime/AttentionProblem.h"

namespace hocket::test {

struct GradProblem : AttentionProblem {
  explicit GradProblem(Extents e, plan::DType type = plan::DType::F32,
                       std::vector<int> order = {0, 2, 1, 3})
      : AttentionProblem(e, type, order), dq(type, q.shape, order),
        dk(type, k.shape, order, 5), dv(type, v.shape, order),
        dout(type, out.shape, order) {
    dout.random(6);
  }

  /// Of a forward that has run.
  void makeGrad(int threads, std::unique_ptr<runtime::Call> &call) {
    runtime::setLibraryThreads(threads);
    runtime::Status forward = runtime::makeAttention(given, threads, call);
    ASSERT_TRUE(forward.ok()) << forward.message;
    ASSERT_TRUE(runCall(*call).ok());
    runtime::Status status =
        runtime::makeAttentionGrad({given, dout.operand(), dq.operand(),
                                    dk.operand(), dv.operand(), dbiasOperand()},
                                   threads, call);
    ASSERT_TRUE(status.ok()) << status.message;
    runtime::setLibraryThreads(1);
  }

  /// As addBias, with its gradient.
  void addLearnedBias(std::vector<int64_t> shape, std::vector<int> order = {}) {
    addBias(shape, order);
    dbias = TestOperand(q.type, shape, order, /*pad=*/3);
    hasGradient = true;
  }
  std::optional<runtime::Operand> dbiasOperand() {
    return hasGradient ? std::optional(dbias.operand()) : std::nullopt;
  }

  TestOperand dq, dk, dv, dout, dbias{plan::DType::F32, {}};
  bool hasGradient = false; // that of the bias
};

/// All gradients, row-major.
struct Naive {
  Rows q, k, v, dout, dq, dk, dv, dbias;

  explicit Naive(const GradProblem &problem)
      : q(dense(problem.q)), k(dense(problem.k)), v(dense(problem.v)),
        dout(dense(problem.dout)), dq(q.size()), dk(k.size()), dv(v.size()),
        dbias(problem.bias.elements()) {
    const std::vector<int64_t> &shape = problem.q.shape;
    for (int64_t b = 0; b < shape[0]; ++b)
      for (int64_t h = 0; h < shape[1]; ++h)
        for (int64_t i = 0; i < shape[2]; ++i)
          row(problem, b, h, i);
  }

  static int64_t flatOf(const std::vector<int64_t> &shape,
                        const std::vector<int64_t> &place) {
    int64_t flat = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      flat = flat * shape[dim] + place[dim];
    return flat;
  }

  void row(const GradProblem &problem, int64_t b, int64_t h, int64_t i) {
    const runtime::AttentionArguments &given = problem.given;
    int64_t depth = problem.k.shape[3], width = problem.v.shape[3];
    int64_t at = problem.queryRow(b, h, i), kv = problem.keyRow(b, h);
    auto factor = [&](int64_t j) { return naiveFactor(problem, b, h, i, j); };
    Rows p = naiveWeights(problem, q, k, b, h, i), g(p.size(), 0);
    double mean = 0;
    for (size_t j = 0; j < p.size(); ++j) {
      for (int64_t d = 0; d < width; ++d)
        g[j] += dout[at * width + d] * v[(kv + j) * width + d];
      mean += p[j] * (g[j] *= factor(j));
    }
    for (size_t j = 0; j < p.size(); ++j) {
      if (problem.hasGradient)
        dbias[flatOf(problem.bias.shape, problem.biasPlace(b, h, i, j))] +=
            p[j] * (g[j] - mean);
      for (int64_t d = 0; d < depth; ++d) {
        double score = given.scale * p[j] * (g[j] - mean);
        dq[at * depth + d] += score * k[(kv + j) * depth + d];
        dk[(kv + j) * depth + d] += score * q[at * depth + d];
      }
      for (int64_t d = 0; d < width; ++d)
        dv[(kv + j) * width + d] += p[j] * factor(j) * dout[at * width + d];
    }
  }
};

/// The largest error, relative to the largest expected number that is above 1.
inline double worstOf(const TestOperand &found, const Rows &expected) {
  double worst = 0, largest = 1;
  for (double value : expected)
    largest = std::max(largest, std::abs(value));
  for (int64_t flat = 0; flat < found.elements(); ++flat) {
    double error = std::abs(found.get(flat) - expected[flat]) / largest;
    worst = error <= worst ? worst : error; // NaN counts
  }
  return worst;
}

inline double toleranceOf(plan::DType type) {
  return type == plan::DType::F64   ? 1e-12
         : type == plan::DType::F32 ? 5e-6
                                    : 1e-2;
}

/// Forward and gradients against loops in double, with equal bits on 1, 2 and 3
/// threads.
inline void expectRightOnThreads(GradProblem &problem) {
  std::vector<TestOperand *> results = {&problem.out, &problem.lse, &problem.dq,
                                        &problem.dk, &problem.dv};
  if (problem.hasGradient)
    results.push_back(&problem.dbias);
  std::vector<std::vector<uint8_t>> first;
  double tolerance = toleranceOf(problem.q.type);
  for (int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    for (TestOperand *result : results)
      result->random(9);
    std::unique_ptr<runtime::Call> call;
    problem.makeGrad(threads, call);
    // The second run finds what the first one left in its memory.
    ASSERT_TRUE(runCall(*call).ok());
    ASSERT_TRUE(runCall(*call).ok());
    if (threads == 1) {
      EXPECT_LE(worstOfForward(problem), tolerance);
      Naive naive(problem);
      EXPECT_LE(worstOf(problem.dq, naive.dq), tolerance);
      EXPECT_LE(worstOf(problem.dk, naive.dk), tolerance);
      EXPECT_LE(worstOf(problem.dv, naive.dv), tolerance);
      if (problem.hasGradient) {
        EXPECT_LE(worstOf(problem.dbias, naive.dbias), tolerance);
      }
      for (TestOperand *result : results)
        first.push_back(result->bytes);
    }
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(first[i], results[i]->bytes) << "result " << i;
  }
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_ATTENTIONGRADPROBLEM_H
