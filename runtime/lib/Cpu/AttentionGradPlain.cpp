//===- AttentionGradPlain.cpp - gradients of attention by plain loops -----===//

#include "runtime/lib/Cpu/AttentionPlain.h"
#include "runtime/lib/Cpu/AttentionRows.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace hocket::runtime {

namespace {

/// T is the type of computation. A kv head's keys and values are converted to
/// dense T, the query heads that read it follow row by row.
template <typename T> class PlainAttentionGrad : public Call {
public:
  PlainAttentionGrad(const AttentionGradArguments &given, int threads)
      : given(given), forward(this->given.forward), threads(threads),
        queries(forward.q.shape[2]), keys(forward.k.shape[2]),
        depth(forward.q.shape[3]), width(forward.v.shape[3]) {}

  int64_t scratchBytes() const override {
    return threads * workElements() * static_cast<int64_t>(sizeof(T));
  }
  void setScratch(void *memory) override { scratch = static_cast<T *>(memory); }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  /// One thread's memory.
  struct Work {
    T *key, *value, *keySum, *valueSum; // of a kv head
    T *query, *dout, *querySum;         // of a row
    T *weights, *gradients;             // by key
  };

  int64_t workElements() const {
    return 2 * keys * (depth + width) + 2 * depth + width + 2 * keys;
  }
  Work workOf(int part) const {
    T *place = scratch + part * workElements();
    auto take = [&](int64_t count) { return (place += count) - count; };
    Work work;
    work.key = take(keys * depth);
    work.value = take(keys * width);
    work.keySum = take(keys * depth);
    work.valueSum = take(keys * width);
    work.query = take(depth);
    work.dout = take(width);
    work.querySum = take(depth);
    work.weights = take(keys);
    work.gradients = take(keys);
    return work;
  }

  void runPart(int part) {
    int64_t heads = forward.k.shape[1];
    Work work = workOf(part);
    for (int64_t item = part; item < forward.k.shape[0] * heads;
         item += threads)
      runHead(item / heads, item % heads, work);
  }

  void runHead(int64_t b, int64_t kvHead, const Work &work) {
    for (int64_t j = 0; j < keys; ++j) {
      loadRow(forward.k, {b, kvHead, j}, work.key + j * depth);
      loadRow(forward.v, {b, kvHead, j}, work.value + j * width);
    }
    std::fill(work.keySum, work.keySum + keys * depth, T(0));
    std::fill(work.valueSum, work.valueSum + keys * width, T(0));
    for (int64_t h = 0; h < forward.q.shape[1]; ++h)
      if (forward.kvHead(h) == kvHead)
        for (int64_t i = 0; i < queries; ++i)
          runQuery(b, h, i, work);
    for (int64_t j = 0; j < keys; ++j) {
      storeRow(given.dk, {b, kvHead, j}, work.keySum + j * depth);
      storeRow(given.dv, {b, kvHead, j}, work.valueSum + j * width);
    }
  }

  static T dot(const T *a, const T *b, int64_t count) {
    T sum = 0;
    for (int64_t d = 0; d < count; ++d)
      sum += a[d] * b[d];
    return sum;
  }

  /// The weight of a key that a query sees.
  T weigh(int64_t j, T lse, const Work &work) const {
    return std::exp(
        T(forward.scale) * dot(work.query, work.key + j * depth, depth) - lse);
  }

  /// Of the gradients of a row's weights: dout * out, where a term has not all
  /// weights.
  T meanOf(int64_t b, int64_t h, int64_t i, const Work &work) const {
    T mean = 0;
    moveRow(forward.out, {b, h, i}, [&](auto &element, int64_t d) {
      mean += work.dout[d] * T(element);
    });
    return mean;
  }

  void termGradRow(const T *weights, T *gradients, int64_t count,
                   T mean) const {
    for (int64_t j = 0; j < count; ++j)
      gradients[j] = T(forward.scale) * weights[j] * (gradients[j] - mean);
  }

  void runQuery(int64_t b, int64_t h, int64_t i, const Work &work) {
    loadRow(forward.q, {b, h, i}, work.query);
    loadRow(given.dout, {b, h, i}, work.dout);
    std::fill(work.querySum, work.querySum + depth, T(0));
    T lse = 0;
    moveElement(*forward.lse, {b, h, i},
                [&](auto element) { lse = T(element); });
    if (lse == -std::numeric_limits<T>::infinity()) // it sees nothing
      return storeRow(given.dq, {b, h, i}, work.querySum);
    uint64_t first = forward.dropout.firstWeight(forward.q.shape, {b, h, i}) +
                     forward.keyOffset;
    // Weights and gradients of the keys that it sees, side by side.
    int64_t count = 0, n = 0;
    auto visit = [&](auto body) {
      forward.visitRuns(h, i, [&](int64_t begin, int64_t end) {
        for (int64_t j = begin; j < end; ++j)
          if (forward.sees(b, i, j))
            body(j);
      });
    };
    visit([&](int64_t j) {
      T kept = T(forward.dropout.factor(first + j));
      work.weights[count] = weigh(j, lse, work);
      work.gradients[count++] =
          kept * dot(work.dout, work.value + j * width, width);
    });
    if (forward.isTerm)
      termGradRow(work.weights, work.gradients, count, meanOf(b, h, i, work));
    else
      softmaxGradRow(work.weights, work.gradients, count, T(forward.scale));
    visit([&](int64_t j) {
      T weight = work.weights[n], score = work.gradients[n++];
      for (int64_t d = 0; d < depth; ++d) {
        work.querySum[d] += score * work.key[j * depth + d];
        work.keySum[j * depth + d] += score * work.query[d];
      }
      weight *= T(forward.dropout.factor(first + j));
      for (int64_t d = 0; d < width; ++d)
        work.valueSum[j * width + d] += weight * work.dout[d];
    });
    storeRow(given.dq, {b, h, i}, work.querySum);
  }

  const AttentionGradArguments given;
  const AttentionArguments &forward;
  const int threads;
  const int64_t queries, keys, depth, width;
  T *scratch = nullptr;
};

} // namespace

std::unique_ptr<Call>
makePlainAttentionGrad(const AttentionGradArguments &arguments, int threads) {
  if (arguments.forward.q.type == plan::DType::F64)
    return std::make_unique<PlainAttentionGrad<double>>(arguments, threads);
  return std::make_unique<PlainAttentionGrad<float>>(arguments, threads);
}

} // namespace hocket::runtime
