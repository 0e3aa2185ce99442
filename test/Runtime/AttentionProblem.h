//===- AttentionProblem.h - operands of attention, naive weights *- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_ATTENTIONPROBLEM_H
#define HOCKET_TEST_RUNTIME_ATTENTIONPROBLEM_H

#include "hocket/Cpu/Attention.h"
#include "test/Runtime/TestOperand.h"

namespace hocket::test {

struct Extents {
  int64_t batch, heads, kvHeads, queries, keys, depth, width;
};

/// Orders of the dims of q, k, v and out in memory.
inline const std::vector<std::vector<int>> memoryOrders = {
    {0, 1, 2, 3}, {0, 1, 3, 2}, {3, 2, 1, 0}, {2, 0, 1, 3}, {1, 3, 0, 2}};

/// q, k, v, out, lse and masks with memory of their own, heads inside rows as a
/// projection leaves them ([batch, seq, heads, dim]).
struct AttentionProblem {
  explicit AttentionProblem(Extents e, plan::DType type = plan::DType::F32,
                            std::vector<int> order = {0, 2, 1, 3})
      : q(type, {e.batch, e.heads, e.queries, e.depth}, order),
        k(type, {e.batch, e.kvHeads, e.keys, e.depth}, order),
        v(type, {e.batch, e.kvHeads, e.keys, e.width}, order, 3),
        out(type, {e.batch, e.heads, e.queries, e.width}, order),
        lse(type == plan::DType::F64 ? type : plan::DType::F32,
            {e.batch, e.heads, e.queries}, {1, 2, 0}),
        keep(plan::DType::Bool, {e.batch, e.keys}),
        queryDocuments(plan::DType::I32, {e.batch, e.queries}, {1, 0}),
        keyDocuments(plan::DType::I32, {e.batch, e.keys}) {
    given.q = q.random(1, 2).operand();
    given.k = k.random(2, 2).operand();
    given.v = v.random(3).operand();
    given.out = out.random(4).operand();
    given.lse = lse.random(5).operand();
    given.scale = 1 / std::sqrt(static_cast<float>(e.depth));
    given.group = e.heads / e.kvHeads;
  }

  void keepOnly(const std::function<bool(int64_t, int64_t)> &rule) {
    for (int64_t b = 0; b < keep.shape[0]; ++b)
      for (int64_t j = 0; j < keep.shape[1]; ++j)
        keep.set(b * keep.shape[1] + j, rule(b, j));
    given.keep = keep.operand();
  }

  /// Numbers of documents, by batch entry and position in the whole sequence.
  void number(const std::function<int64_t(int64_t, int64_t)> &rule,
              plan::DType type = plan::DType::I32) {
    queryDocuments = TestOperand(type, queryDocuments.shape, {1, 0});
    keyDocuments = TestOperand(type, keyDocuments.shape, {0, 1}, 3);
    auto fill = [&](TestOperand &ids, int64_t first) {
      for (int64_t flat = 0; flat < ids.elements(); ++flat)
        ids.set(flat, static_cast<double>(rule(flat / ids.shape[1],
                                               first + flat % ids.shape[1])));
    };
    fill(queryDocuments, given.queryOffset);
    fill(keyDocuments, given.keyOffset);
    given.documents =
        runtime::Documents{queryDocuments.operand(), keyDocuments.operand()};
  }

  /// A bias of this shape, whose keys are those of the whole; of `order` in
  /// memory.
  void addBias(std::vector<int64_t> shape, std::vector<int> order = {}) {
    bias = TestOperand(q.type, shape, order);
    given.bias = bias.random(7, 2).operand();
  }
  /// Where the bias, or its gradient, has what is of a score.
  std::vector<int64_t> biasPlace(int64_t b, int64_t h, int64_t i,
                                 int64_t j) const {
    auto at = [&](int dim, int64_t n) { return bias.shape[dim] == 1 ? 0 : n; };
    return {at(0, b), at(1, h), at(2, i), j + given.keyOffset};
  }

  /// Rows before query i of head h in dense q, and before the first key and
  /// value that the head reads in dense k and v.
  int64_t queryRow(int64_t b, int64_t h, int64_t i) const {
    return (b * q.shape[1] + h) * q.shape[2] + i;
  }
  int64_t keyRow(int64_t b, int64_t h) const {
    int64_t kvHead = (given.headOffset + h) / given.group - given.kvHeadOffset;
    return (b * k.shape[1] + kvHead) * k.shape[2];
  }

  TestOperand q, k, v, out, lse, keep, queryDocuments, keyDocuments;
  TestOperand bias{plan::DType::F32, {}};
  runtime::AttentionArguments given;
  /// Whether global head `head` shows key `j` to query `i`, both counted over
  /// the whole sequence; none: it does.
  std::function<bool(int64_t head, int64_t i, int64_t j)> shows;
};

using Rows = std::vector<double>;

/// All elements, row-major.
inline Rows dense(const TestOperand &operand) {
  Rows values;
  for (int64_t flat = 0; flat < operand.elements(); ++flat)
    values.push_back(operand.get(flat));
  return values;
}

/// The weights of the keys for query i of head h, from dense queries and keys;
/// empty if it sees none. `lse`: the logarithm of the sum of exp(score).
inline Rows naiveWeights(const AttentionProblem &problem, const Rows &q,
                         const Rows &k, int64_t b, int64_t h, int64_t i,
                         double *lse = nullptr) {
  const runtime::AttentionArguments &given = problem.given;
  int64_t keys = problem.k.shape[2], depth = problem.k.shape[3];
  int64_t query = problem.queryRow(b, h, i), key = problem.keyRow(b, h);
  Rows weights(keys, 0);
  double largest = -INFINITY, total = 0;
  for (int64_t j = 0; j < keys; ++j) {
    int64_t at = i + given.queryOffset, other = j + given.keyOffset;
    bool allowed = !given.causal || other <= at;
    allowed &= given.before < 0 || other >= at - given.before;
    allowed &= given.after < 0 || other <= at + given.after;
    if (problem.shows)
      allowed &= problem.shows(given.headOffset + h, at, other);
    if (given.keep)
      allowed &= problem.keep.at({b, j}) != 0;
    if (given.documents)
      allowed &=
          problem.queryDocuments.at({b, i}) == problem.keyDocuments.at({b, j});
    double score = 0;
    for (int64_t d = 0; d < depth; ++d)
      score += q[query * depth + d] * k[(key + j) * depth + d];
    score *= static_cast<double>(given.scale);
    if (given.bias)
      score += problem.bias.at(problem.biasPlace(b, h, i, j));
    weights[j] = allowed ? score : -INFINITY;
    largest = std::max(largest, weights[j]);
  }
  for (double &weight : weights)
    total += weight = std::exp(weight - largest);
  if (lse)
    *lse = largest == -INFINITY ? largest : largest + std::log(total);
  if (largest == -INFINITY)
    return {};
  for (double &weight : weights)
    weight /= total;
  return weights;
}

/// What the weight of key `j` is multiplied with by dropout.
inline double naiveFactor(const AttentionProblem &problem, int64_t b, int64_t h,
                          int64_t i, int64_t j) {
  const runtime::AttentionArguments &given = problem.given;
  return given.dropout.factor(
      given.dropout.firstWeight(given.q.shape, {b, h, i}) + given.keyOffset +
      j);
}

/// The largest error of `out` and `lse`, NaN if something is not a number.
inline double worstOfForward(const AttentionProblem &problem) {
  Rows q = dense(problem.q), k = dense(problem.k), v = dense(problem.v);
  int64_t width = problem.v.shape[3];
  double worst = 0;
  auto meet = [&](double error) {
    worst = error <= worst ? worst : error; // NaN and infinity count
  };
  const std::vector<int64_t> &shape = problem.out.shape;
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h)
      for (int64_t i = 0; i < shape[2]; ++i) {
        double lse, found = problem.lse.at({b, h, i});
        Rows weights = naiveWeights(problem, q, k, b, h, i, &lse),
             row(width, 0);
        meet(lse == found ? 0 : std::abs(lse - found));
        const double *value = v.data() + problem.keyRow(b, h) * width;
        for (size_t j = 0; j < weights.size(); ++j)
          for (int64_t d = 0; d < width; ++d)
            row[d] += weights[j] * naiveFactor(problem, b, h, i, j) * *value++;
        for (int64_t d = 0; d < width; ++d)
          meet(std::abs(problem.out.at({b, h, i, d}) - row[d]));
      }
  return worst;
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_ATTENTIONPROBLEM_H
