//===- Softmax.h - tiles of softmax ----------------------------*- C++ -*-===//
//
// Part of Vector.cpp, which is compiled once per processor level: everything
// has internal linkage. A row's result depends on what it attends to alone, not
// on the rows and columns beside that.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_SOFTMAX_H
#define HOCKET_LIB_CPU_VECTOR_SOFTMAX_H

#include "hocket/Cpu/VectorFunctions.h"
#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

namespace hocket::runtime {
namespace {

constexpr int64_t lanes = 16;
typedef float Floats __attribute__((vector_size(lanes * sizeof(float))));
typedef int32_t Integers __attribute__((vector_size(lanes * sizeof(float))));
constexpr float lowest = -__builtin_inff();

void scaleRow(float *row, int64_t count, float factor) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i)
    row[i] *= factor;
}

constexpr float log2e = 1.44269504f;

/// 2^x, relative error below 2e-7; 0 below -126, infinite from 128 on.
inline Floats power(Floats x) {
#ifdef __AVX512DQ__
  Floats r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF); // x - floor(x)
  // Least largest relative error, 9e-8, of 1 + r p for r in [0, 1].
  Floats p = r * 1.8671300e-3f + 9.0170307e-3f;
  p = p * r + 5.5799913e-2f;
  p = p * r + 2.4016444e-1f;
  p = p * r + 6.9315130e-1f;
  p = p * r + 1.0f;
  __mmask16 some = _mm512_cmp_ps_mask(x, Floats{} - 126.0f, _CMP_NLT_UQ);
  return _mm512_maskz_scalef_ps(some, p, x);
#else
  // 1.5 * 2^23 makes the sum whole, and 127 its low bits an exponent.
  constexpr float whole = 12582912.0f + 127.0f;
  Floats rounded = x + whole;
  Floats r = x - (rounded - whole);
  // As above, for r in [-0.5, 0.5].
  Floats p = r * 1.3264727e-3f + 9.6715130e-3f;
  p = p * r + 5.5507336e-2f;
  p = p * r + 2.4022242e-1f;
  p = p * r + 6.9314700e-1f;
  p = p * r + 1.0f;
  // Beyond these an exponent would run into the sign.
  p *= (Floats)((Integers)rounded << 23);
  return x < -126.0f ? Floats{} : x >= 128.0f ? Floats{} - lowest : p;
#endif
}

/// Of a difference x, which is exactly 1 for equal terms.
inline Floats exponential(Floats x) { return power(x * log2e); }

inline Floats splat(float value) { return Floats{} + value; }

inline Floats load(const float *from) {
  Floats all;
  __builtin_memcpy(&all, from, sizeof all);
  return all;
}
inline void store(float *to, Floats all) {
  __builtin_memcpy(to, &all, sizeof all);
}
/// `count` numbers, and `rest` behind them.
inline Floats loadSome(const float *from, int64_t count, float rest) {
  Floats some = splat(rest);
  for (int64_t i = 0; i < count; ++i)
    some[i] = from[i];
  return some;
}
inline void storeSome(float *to, Floats all, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = all[i];
}

inline Floats keepSome(Floats all, int64_t count, float rest) {
  const Integers number = {0, 1, 2,  3,  4,  5,  6,  7,
                           8, 9, 10, 11, 12, 13, 14, 15};
  return number < int32_t(count) ? all : splat(rest);
}

inline Floats keepRange(Floats all, ColumnRange range) {
  const Integers number = {0, 1, 2,  3,  4,  5,  6,  7,
                           8, 9, 10, 11, 12, 13, 14, 15};
  Integers isInside =
      (number >= int32_t(range.begin)) & (number < int32_t(range.end));
  return isInside ? all : splat(lowest);
}

inline Floats larger(Floats a, Floats b) { return b > a ? b : a; }

/// Halves, quarters, eighths and pairs of lanes change places.
template <typename Combine> inline float overLanes(Floats a, Combine combine) {
  a = combine(a, __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0,
                                         1, 2, 3, 4, 5, 6, 7));
  a = combine(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13,
                                         14, 15, 8, 9, 10, 11));
  a = combine(a, __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11,
                                         8, 9, 14, 15, 12, 13));
  a = combine(a, __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11,
                                         10, 13, 12, 15, 14));
  return a[0];
}
inline float sumOf(Floats a) {
  return overLanes(a, [](Floats x, Floats y) { return x + y; });
}

/// Calls visit(begin) for each 16 of `count` columns and last(begin, rest) for
/// those left over.
template <typename Visit, typename Last>
inline void overColumns(int64_t count, Visit visit, Last last) {
  int64_t j = 0;
#pragma GCC unroll 2
  for (; j + lanes <= count; j += lanes)
    visit(j);
  if (j < count)
    last(j, count - j);
}

/// Scaled scores above this may not be near what they are rounded to.
constexpr float mostScore = 4194304.0f;

inline float largestOf(const float *row, int64_t count) {
  Floats largest[4] = {splat(lowest), splat(lowest), splat(lowest),
                       splat(lowest)};
  int64_t j = 0;
  for (; j + 4 * lanes <= count; j += 4 * lanes)
    for (int i = 0; i < 4; ++i)
      largest[i] = larger(largest[i], load(row + j + i * lanes));
  overColumns(
      count - j,
      [&](int64_t k) { largest[0] = larger(largest[0], load(row + j + k)); },
      [&](int64_t k, int64_t rest) {
        largest[0] = larger(largest[0], loadSome(row + j + k, rest, lowest));
      });
  return overLanes(
      larger(larger(largest[0], largest[1]), larger(largest[2], largest[3])),
      larger);
}

/// row[j] = exp(scale * row[j] - shift); returns `total` and them, by lanes.
inline Floats exponentials(float *row, int64_t columns, float scale,
                           float shift, Floats total) {
  overColumns(
      columns,
      [&](int64_t j) {
        Floats weights = exponential(load(row + j) * scale - shift);
        store(row + j, weights);
        total += weights;
      },
      [&](int64_t j, int64_t rest) {
        Floats weights = exponential(keepSome(
            loadSome(row + j, rest, 0.0f) * scale - shift, rest, lowest));
        storeSome(row + j, weights, rest);
        total += weights;
      });
  return total;
}

inline void maskRow(float *row, int64_t columns, float scale,
                    const float *mask) {
#pragma omp simd
  for (int64_t j = 0; j < columns; ++j)
    row[j] = row[j] * scale + mask[j];
}

/// The columns that row `r` of a SoftmaxTile or a SoftmaxGradTile attends to.
template <class Tile>
inline ColumnRange visibleColumns(const Tile &tile, int64_t r) {
  return tile.visible ? tile.visible[r] : ColumnRange{0, tile.columns};
}

/// What row `r` of a SoftmaxTile or a SoftmaxGradTile adds to its scores, which
/// are scaled on the way. Returns the scale that they still need.
template <class Tile>
inline float addMasks(const Tile &tile, int64_t r, ColumnRange seen,
                      float *scores) {
  float scale = tile.scale;
  int64_t columns = seen.end - seen.begin;
  if (tile.mask) {
    maskRow(scores, columns, scale, tile.mask + seen.begin);
    scale = 1.0f;
  }
  if (tile.added) {
    maskRow(scores, columns, scale,
            tile.added + r * tile.addedPitch + seen.begin);
    scale = 1.0f;
  }
  return scale;
}

inline void clearOutside(float *row, ColumnRange seen, int64_t columns) {
  for (int64_t j = 0; j < seen.begin; ++j)
    row[j] = 0.0f;
  for (int64_t j = seen.end; j < columns; ++j)
    row[j] = 0.0f;
}

/// Rows [row, row + count) of a tile, at most 16: what they have in common is
/// computed in lanes.
inline void softmaxRows(const SoftmaxTile &tile, int64_t row, int64_t count) {
  // Without a mask the scores are scaled on the way into exp.
  const bool isMasked = tile.mask || tile.added;
  const bool isScaled = isMasked || tile.scale <= 0.0f;
  const float scale = isScaled ? 1.0f : tile.scale;
  Floats largest = splat(lowest), totals = {};
  for (int64_t i = 0; i < count; ++i) {
    float *scores = tile.scores + (row + i) * tile.pitch;
    ColumnRange seen = visibleColumns(tile, row + i);
    clearOutside(scores, seen, tile.columns);
    scores += seen.begin;
    int64_t columns = seen.end - seen.begin;
    if (isMasked)
      addMasks(tile, row + i, seen, scores);
    else if (isScaled)
      scaleRow(scores, columns, tile.scale);
    largest[i] = largestOf(scores, columns);
  }
  Floats before = loadSome(tile.shifts + row, count, lowest);
  Floats now = larger(before, largest * scale);
  // Nothing to attend to so far: all weights 0.
  Floats shifts = now == lowest ? splat(0.0f) : now;
  Floats shrink = before == lowest ? splat(0.0f) : exponential(before - now);
  for (int64_t i = 0; i < count; ++i) {
    ColumnRange seen = visibleColumns(tile, row + i);
    float *scores = tile.scores + (row + i) * tile.pitch + seen.begin;
    float factor = scale;
    // An exact difference needs products that are rounded as the shift is.
    if (shifts[i] > mostScore || shifts[i] < -mostScore) {
      scaleRow(scores, seen.end - seen.begin, scale);
      factor = 1.0f;
    }
    totals[i] = sumOf(exponentials(scores, seen.end - seen.begin, factor,
                                   shifts[i], Floats{}));
  }
  Floats sums = loadSome(tile.sums + row, count, 0.0f) * shrink + totals;
  storeSome(tile.shifts + row, now, count);
  storeSome(tile.sums + row, sums, count);
  storeSome(tile.rescale + row, shrink, count);
}

void softmaxTile(const SoftmaxTile &tile) {
  for (int64_t row = 0; row < tile.rows; row += lanes)
    softmaxRows(tile, row,
                tile.rows - row < lanes ? tile.rows - row : int64_t(lanes));
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SOFTMAX_H
