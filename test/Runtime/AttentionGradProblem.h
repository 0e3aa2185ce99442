//===- AttentionGradProblem.h - gradients of attention in double -*- C++
//-*-===//

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
    runtime::Status status = runtime::makeAttentionGrad(
        {given, dout.operand(), dq.operand(), dk.operand(), dv.operand()},
        threads, call);
    ASSERT_TRUE(status.ok()) << status.message;
    runtime::setLibraryThreads(1);
  }

  TestOperand dq, dk, dv, dout;
};

/// All three gradients, row-major.
struct Naive {
  Rows q, k, v, dout, dq, dk, dv;

  explicit Naive(const GradProblem &problem)
      : q(dense(problem.q)), k(dense(problem.k)), v(dense(problem.v)),
        dout(dense(problem.dout)), dq(q.size()), dk(k.size()), dv(v.size()) {
    const std::vector<int64_t> &shape = problem.q.shape;
    for (int64_t b = 0; b < shape[0]; ++b)
      for (int64_t h = 0; h < shape[1]; ++h)
        for (int64_t i = 0; i < shape[2]; ++i)
          row(problem, b, h, i);
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

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_ATTENTIONGRADPROBLEM_H
