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
        depth(forward.q.shape[3]), width(forward.v.shape[3]) {
    if (forward.bias)
      bias = forward.byScores(*forward.bias);
  }

  int64_t scratchBytes() const override {
    return threads * workElements() * static_cast<int64_t>(sizeof(T));
  }
  void setScratch(void *memory) override { scratch = static_cast<T *>(memory); }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    if (given.dbias)
      parallelFor(threads, [this](int part) { runBias(part); });
    return Status::success();
  }

private:
  /// One thread's memory.
  struct Work {
    T *key, *value, *keySum, *valueSum; // of a kv head
    T *query, *dout, *querySum;         // of a row
    T *weights, *gradients;             // by key that a row sees
    T *bias, *biasSum;                  // by key
  };

  int64_t workElements() const {
    return 2 * keys * (depth + width) + 2 * depth + width + 4 * keys;
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
    work.bias = take(keys);
    work.biasSum = take(keys);
    return work;
  }

  void runPart(int part) {
    int64_t heads = forward.k.shape[1];
    Work work = workOf(part);
    for (int64_t item = part; item < forward.k.shape[0] * heads;
         item += threads)
      runHead(item / heads, item % heads, work);
  }

  void loadHead(int64_t b, int64_t kvHead, const Work &work) {
    for (int64_t j = 0; j < keys; ++j) {
      loadRow(forward.k, {b, kvHead, j}, work.key + j * depth);
      loadRow(forward.v, {b, kvHead, j}, work.value + j * width);
    }
  }

  void runHead(int64_t b, int64_t kvHead, const Work &work) {
    loadHead(b, kvHead, work);
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
    T score = T(forward.scale) * dot(work.query, work.key + j * depth, depth);
    return std::exp(score + (bias ? work.bias[j] : T(0)) - lse);
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

  static void termGradRow(const T *weights, T *gradients, int64_t count, T mean,
                          T scale) {
    for (int64_t j = 0; j < count; ++j)
      gradients[j] = scale * weights[j] * (gradients[j] - mean);
  }

  /// Calls body(j) for the keys that a query sees.
  template <class Body> void visitKeys(HeadRow at, Body body) const {
    forward.visitRuns(at.h, at.row, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j)
        if (forward.sees(at.b, at.row, j))
          body(j);
    });
  }

  uint64_t firstWeight(HeadRow at) const {
    return forward.dropout.firstWeight(forward.q.shape, {at.b, at.h, at.row}) +
           forward.keyOffset;
  }

  /// Weights of the keys that a query sees and gradients of their scores, times
  /// `scale`, side by side; false if it sees none.
  bool weighRow(HeadRow at, T scale, const Work &work) {
    loadRow(forward.q, at, work.query);
    loadRow(given.dout, at, work.dout);
    if (bias)
      loadRow(*bias, at, work.bias);
    T lse = 0;
    moveElement(*forward.lse, at, [&](auto element) { lse = T(element); });
    if (lse == -std::numeric_limits<T>::infinity())
      return false;
    uint64_t first = firstWeight(at);
    int64_t count = 0;
    visitKeys(at, [&](int64_t j) {
      T kept = T(forward.dropout.factor(first + j));
      work.weights[count] = weigh(j, lse, work);
      work.gradients[count++] =
          kept * dot(work.dout, work.value + j * width, width);
    });
    if (forward.isTerm)
      termGradRow(work.weights, work.gradients, count,
                  meanOf(at.b, at.h, at.row, work), scale);
    else
      softmaxGradRow(work.weights, work.gradients, count, scale);
    return true;
  }

  void runQuery(int64_t b, int64_t h, int64_t i, const Work &work) {
    std::fill(work.querySum, work.querySum + depth, T(0));
    if (!weighRow({b, h, i}, T(forward.scale), work))
      return storeRow(given.dq, {b, h, i}, work.querySum);
    uint64_t first = firstWeight({b, h, i});
    int64_t n = 0;
    visitKeys({b, h, i}, [&](int64_t j) {
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

  /// The rows of the bias's gradient go round the threads.
  void runBias(int part) {
    const std::vector<int64_t> &own = given.dbias->shape;
    Work work = workOf(part);
    for (int64_t n = part; n < own[0] * own[1] * own[2]; n += threads)
      runBiasRow({n / own[2] / own[1], n / own[2] % own[1], n % own[2]}, work);
  }

  /// What shares a row is added in order.
  void runBiasRow(HeadRow to, const Work &work) {
    const std::vector<int64_t> &own = given.dbias->shape,
                               &all = forward.q.shape;
    auto over = [&](int dim, int64_t at, auto body) {
      int64_t begin = own[dim] == 1 ? 0 : at;
      for (int64_t n = begin; n < (own[dim] == 1 ? all[dim] : at + 1); ++n)
        body(n);
    };
    std::fill(work.biasSum, work.biasSum + keys, T(0));
    over(0, to.b, [&](int64_t b) {
      over(1, to.h, [&](int64_t h) {
        loadHead(b, forward.kvHead(h), work);
        over(2, to.row, [&](int64_t i) { addBias({b, h, i}, work); });
      });
    });
    moveRow(*given.dbias, to, [&](auto &element, int64_t j) {
      bool isHeld = j >= forward.keyOffset && j < forward.keyOffset + keys;
      element = std::decay_t<decltype(element)>(
          isHeld ? work.biasSum[j - forward.keyOffset] : T(0));
    });
  }

  void addBias(HeadRow at, const Work &work) {
    int64_t n = 0;
    if (weighRow(at, T(1), work))
      visitKeys(at, [&](int64_t j) { work.biasSum[j] += work.gradients[n++]; });
  }

  const AttentionGradArguments given;
  const AttentionArguments &forward;
  const int threads;
  const int64_t queries, keys, depth, width;
  std::optional<Operand> bias; // by scores
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
