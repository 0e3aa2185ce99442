//===- SoftmaxGrad.h - tiles of the gradient of softmax --------*- C++ -*-===//
//
// Part of Vector.cpp, which is compiled once per processor level: everything
// has internal linkage. A row's result depends on what it attends to alone.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_SOFTMAXGRAD_H
#define HOCKET_LIB_CPU_VECTOR_SOFTMAXGRAD_H

#include "runtime/lib/Cpu/Vector/Softmax.h"

namespace hocket::runtime {
namespace {

/// A row of a SoftmaxGradTile by lse and mean of what may lie in other tiles
/// too.
inline void rowByLse(float *scores, float *gradients, int64_t columns,
                     float factor, float scale, float lse, float mean) {
  // g and mean are subtracted as they are: what cancels is exact.
  auto gradientOf = [&](Floats weights, Floats gradient) {
    return scale * weights * (gradient - mean);
  };
  overColumns(
      columns,
      [&](int64_t j) {
        Floats weights = exponential(load(scores + j) * factor - lse);
        store(scores + j, weights);
        store(gradients + j, gradientOf(weights, load(gradients + j)));
      },
      [&](int64_t j, int64_t rest) {
        Floats weights =
            exponential(loadSome(scores + j, rest, 0.0f) * factor - lse);
        storeSome(scores + j, weights, rest);
        storeSome(gradients + j,
                  gradientOf(weights, loadSome(gradients + j, rest, mean)),
                  rest);
      });
}

/// The weights of a row, their sum by lanes, and the gradient of the largest.
struct RowWeights {
  Floats total = {};
  float origin;
};

/// Makes scores weights. Lanes keep their largest so far, and its gradient: a
/// search would not be predicted.
inline RowWeights weighRow(float *scores, const float *gradients,
                           int64_t columns, float factor, float lse) {
  RowWeights row;
  Floats largest = splat(-1.0f), origins = {};
  auto add = [&](Floats weights, Floats gradient) {
    row.total += weights;
    origins = weights > largest ? gradient : origins;
    largest = larger(largest, weights);
  };
  overColumns(
      columns,
      [&](int64_t j) {
        Floats weights = exponential(load(scores + j) * factor - lse);
        store(scores + j, weights);
        add(weights, load(gradients + j));
      },
      [&](int64_t j, int64_t rest) {
        Floats weights = exponential(keepSome(
            loadSome(scores + j, rest, 0.0f) * factor - lse, rest, lowest));
        storeSome(scores + j, weights, rest);
        add(weights, loadSome(gradients + j, rest, gradients[j]));
      });
  const Floats most = splat(overLanes(largest, larger));
  row.origin = overLanes(largest == most ? origins : splat(lowest), larger);
  return row;
}

/// The same of a whole row, see softmaxGradRow in AttentionRows.h.
inline void wholeRowByLse(float *scores, float *gradients, int64_t columns,
                          float factor, float scale, float lse) {
  if (columns == 0)
    return;
  const RowWeights row = weighRow(scores, gradients, columns, factor, lse);
  const float inverse = 1.0f / sumOf(row.total), origin = row.origin;
  Floats sums = {};
  overColumns(
      columns,
      [&](int64_t j) {
        sums += load(scores + j) * (load(gradients + j) - origin);
      },
      [&](int64_t j, int64_t rest) {
        sums += loadSome(scores + j, rest, 0.0f) *
                (loadSome(gradients + j, rest, origin) - origin);
      });
  const float mean = sumOf(sums) * inverse, scaled = scale * inverse;
  auto gradientOf = [&](Floats weights, Floats gradient) {
    return scaled * weights * (gradient - origin - mean);
  };
  overColumns(
      columns,
      [&](int64_t j) {
        Floats weights = load(scores + j);
        store(gradients + j, gradientOf(weights, load(gradients + j)));
        store(scores + j, weights * inverse);
      },
      [&](int64_t j, int64_t rest) {
        Floats weights = loadSome(scores + j, rest, 0.0f);
        storeSome(gradients + j,
                  gradientOf(weights, loadSome(gradients + j, rest, origin)),
                  rest);
        storeSome(scores + j, weights * inverse, rest);
      });
}

void softmaxGradTile(const SoftmaxGradTile &tile) {
  for (int64_t r = 0; r < tile.rows; ++r) {
    ColumnRange seen = visibleColumns(tile, r);
    const float lse = tile.lse[r];
    // Nothing to attend to: all weights 0.
    if (lse == lowest)
      seen.end = seen.begin;
    float *scores = tile.scores + r * tile.pitch;
    float *gradients = tile.gradients + r * tile.pitch;
    clearOutside(scores, seen, tile.columns);
    clearOutside(gradients, seen, tile.columns);
    scores += seen.begin;
    gradients += seen.begin;
    int64_t columns = seen.end - seen.begin;
    float factor = addMasks(tile, r, seen, scores);
    if (tile.whole)
      wholeRowByLse(scores, gradients, columns, factor, tile.gradientScale,
                    lse);
    else
      rowByLse(scores, gradients, columns, factor, tile.gradientScale, lse,
               tile.means[r]);
  }
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SOFTMAXGRAD_H
