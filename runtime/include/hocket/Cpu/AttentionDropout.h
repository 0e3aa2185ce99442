//===- AttentionDropout.h - dropped weights of attention -------*- C++ -*-===//

#ifndef HOCKET_CPU_ATTENTIONDROPOUT_H
#define HOCKET_CPU_ATTENTIONDROPOUT_H

#include "hocket/Cpu/Call.h"
#include "hocket/Cpu/VectorFunctions.h"
#include "hocket/Random/Philox.h"

namespace hocket::runtime {

/// See plan::Dropout; without arguments nothing is dropped.
class AttentionDropout {
public:
  AttentionDropout() = default;
  AttentionDropout(double p, uint64_t key, const Operand &step, uint64_t first,
                   std::vector<int64_t> sizes, std::vector<int64_t> strides)
      : live(true), key(key), first(first), threshold(dropThreshold(p)),
        scale(1 / (1 - p)), step(static_cast<int32_t *>(step.data)),
        sizes(std::move(sizes)), strides(std::move(strides)) {}

  bool isLive() const { return live; }

  /// What kernels of other devices take; `step` is where theirs is.
  struct Numbers {
    uint64_t key, first;
    uint32_t threshold;
    double scale;
    const int32_t *step;
    const std::vector<int64_t> &sizes, &strides;
  };
  Numbers numbers() const {
    return {key, first, threshold, scale, step, sizes, strides};
  }

  /// A row of weights: batch entry, head and query of this rank.
  struct Row {
    int64_t b, h, query;
  };
  /// The number of a row's first weight in the global tensor; `q` is the shape
  /// of the queries.
  uint64_t firstWeight(const std::vector<int64_t> &q, Row row) const {
    int64_t number = (row.b * q[1] + row.h) * q[2] + row.query;
    uint64_t weight = first;
    for (size_t i = sizes.size(); i-- > 0; number /= sizes[i])
      weight += uint64_t(number % sizes[i] * strides[i]);
    return weight;
  }
  /// What weight `weight` of the global tensor is multiplied with.
  double factor(uint64_t weight) const {
    if (!live)
      return 1;
    uint32_t word =
        wordOfElement(key, weight, uint32_t(*step), Purpose::Dropout);
    return word >= threshold ? scale : 0;
  }
  /// Drops weights [column, column + count) of a row, which are at `weights`.
  void drop(const VectorFunctions &functions, const std::vector<int64_t> &q,
            Row row, int64_t column, int64_t count, float *weights) const {
    if (count > 0)
      functions.dropRow({weights, count, firstWeight(q, row) + column, key,
                         uint32_t(*step), threshold, float(scale)});
  }

private:
  bool live = false;
  uint64_t key = 0, first = 0;
  uint32_t threshold = 0;
  double scale = 1;
  const int32_t *step = nullptr;
  std::vector<int64_t> sizes, strides;
};

} // namespace hocket::runtime

#endif // HOCKET_CPU_ATTENTIONDROPOUT_H
