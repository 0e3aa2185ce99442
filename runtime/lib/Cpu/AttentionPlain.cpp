//===- AttentionPlain.cpp - attention by plain loops ----------------------===//

#include "runtime/lib/Cpu/AttentionPlain.h"
#include "runtime/lib/Cpu/AttentionRows.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace hocket::runtime {

namespace {

constexpr int64_t keyBlock = 256;

/// T is the type of computation. A head's keys and values are converted to
/// dense T once; then each query meets them block by block.
template <typename T> class PlainAttention : public Call {
public:
  PlainAttention(const AttentionArguments &given, int threads)
      : given(given), threads(threads), queries(given.q.shape[2]),
        keys(given.k.shape[2]), depth(given.q.shape[3]),
        width(given.v.shape[3]) {
    if (given.bias)
      bias = given.byScores(*given.bias);
  }

  int64_t scratchBytes() const override {
    return threads * workElements() * static_cast<int64_t>(sizeof(T));
  }
  void setScratch(void *memory) override { scratch = static_cast<T *>(memory); }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  int64_t workElements() const {
    return keys * (depth + width) + depth + width + keyBlock + biasElements();
  }
  int64_t biasElements() const { return bias ? keys : 0; }

  void runPart(int part) {
    int64_t heads = given.q.shape[1];
    T *work = scratch + part * workElements();
    for (int64_t item = part; item < given.q.shape[0] * heads; item += threads)
      runHead(item / heads, item % heads, work);
  }

  void runHead(int64_t b, int64_t h, T *work) {
    T *key = work, *value = key + keys * depth, *query = value + keys * width;
    int64_t kvHead = given.kvHead(h);
    for (int64_t j = 0; j < keys; ++j) {
      loadRow(given.k, {b, kvHead, j}, key + j * depth);
      loadRow(given.v, {b, kvHead, j}, value + j * width);
    }
    for (int64_t i = 0; i < queries; ++i) {
      loadRow(given.q, {b, h, i}, query);
      runQuery(b, h, i, key, value, query);
    }
  }

  T dot(const T *a, const T *b) const {
    T sums[8] = {};
    int64_t d = 0;
    for (; d + 8 <= depth; d += 8)
      for (int lane = 0; lane < 8; ++lane)
        sums[lane] += a[d + lane] * b[d + lane];
    for (; d < depth; ++d)
      sums[0] += a[d] * b[d];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }

  void runQuery(int64_t b, int64_t h, int64_t i, const T *key, const T *value,
                const T *query) {
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    T *sum = const_cast<T *>(query) + depth, *scores = sum + width;
    T *added = scores + keyBlock;
    std::fill(sum, sum + width, T(0));
    if (bias)
      loadRow(*bias, {b, h, i}, added);
    T largest = lowest, total = 0;
    uint64_t firstWeight =
        given.dropout.firstWeight(given.q.shape, {b, h, i}) + given.keyOffset;
    auto visit = [&](int64_t first, int64_t count) {
      T before = largest, own = lowest;
      for (int64_t j = 0; j < count; ++j) {
        scores[j] = lowest;
        if (given.sees(b, i, first + j))
          scores[j] = T(given.scale) * dot(query, key + (first + j) * depth) +
                      (bias ? added[first + j] : T(0));
        own = std::max(own, scores[j]);
      }
      if (own == lowest) // it sees none of these
        return;
      largest = std::max(largest, own);
      T shrink = std::exp(before - largest);
      total *= shrink;
      for (int64_t d = 0; d < width; ++d)
        sum[d] *= shrink;
      for (int64_t j = 0; j < count; ++j) {
        T weight = std::exp(scores[j] - largest);
        total += weight;
        weight *= T(given.dropout.factor(firstWeight + first + j));
        const T *row = value + (first + j) * width;
        for (int64_t d = 0; d < width; ++d)
          sum[d] += weight * row[d];
      }
    };
    given.visitRuns(h, i, [&](int64_t begin, int64_t end) {
      for (int64_t first = begin; first < end; first += keyBlock)
        visit(first, std::min(keyBlock, end - first));
    });
    T inverse = total > 0 ? 1 / total : T(0);
    moveRow(given.out, {b, h, i}, [&](auto &element, int64_t d) {
      element = std::decay_t<decltype(element)>(sum[d] * inverse);
    });
    if (given.lse)
      moveElement(*given.lse, {b, h, i}, [&](auto &element) {
        element = std::decay_t<decltype(element)>(
            total > 0 ? largest + std::log(total) : lowest);
      });
  }

  const AttentionArguments given;
  const int threads;
  const int64_t queries, keys, depth, width;
  std::optional<Operand> bias; // by scores
  T *scratch = nullptr;
};

} // namespace

std::unique_ptr<Call> makePlainAttention(const AttentionArguments &arguments,
                                         int threads) {
  if (arguments.q.type == plan::DType::F64)
    return std::make_unique<PlainAttention<double>>(arguments, threads);
  return std::make_unique<PlainAttention<float>>(arguments, threads);
}

} // namespace hocket::runtime
