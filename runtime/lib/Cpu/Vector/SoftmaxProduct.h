//===- SoftmaxProduct.h - products that become weights ---------*- C++ -*-===//
//
// Part of Vector.cpp, which is compiled once per processor level: everything
// has internal linkage. Scores become weights while they are in registers.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_SOFTMAXPRODUCT_H
#define HOCKET_LIB_CPU_VECTOR_SOFTMAXPRODUCT_H

#include "runtime/lib/Cpu/Vector/RowProduct.h"
#include "runtime/lib/Cpu/Vector/Softmax.h"

namespace hocket::runtime {
namespace {

/// The shift of a row, which takes the largest of its scores if it has none.
template <typename Largest>
inline float shiftOf(const WeightProduct &all, int64_t row, Largest largest) {
  if (all.shifts[row] == lowest)
    all.shifts[row] = largest() * all.factor;
  // Nothing to attend to so far: all weights 0.
  return all.shifts[row] == lowest ? 0.0f : all.shifts[row];
}

/// Makes scores of a row weights, 16 at a time. `isCut`: by the columns that
/// are wanted, and where rows have no shift.
template <bool isCut> struct MakeWeights {
  const WeightProduct &all;

  template <int vectors>
  [[gnu::always_inline]] void operator()(int64_t row, int64_t column,
                                         Floats (&scores)[vectors]) const {
    float shift = all.shifts[row];
    if constexpr (isCut) {
      keepWanted(row, column, scores);
      shift = shiftOf(all, row, [&] {
        Floats largest = splat(lowest);
        for (int v = 0; v < vectors; ++v)
          largest = larger(largest, scores[v]);
        return overLanes(largest, larger);
      });
    }
    float *const totals = all.totals + row * lanes;
    Floats sums = load(totals);
    for (int v = 0; v < vectors; ++v)
      sums += scores[v] = exponential(scores[v] * all.factor - shift);
    store(totals, sums);
  }

private:
  template <int vectors>
  void keepWanted(int64_t row, int64_t column,
                  Floats (&scores)[vectors]) const {
    if (const ColumnRange *wanted = all.product.wanted)
      for (int v = 0; v < vectors; ++v)
        scores[v] = keepRange(scores[v],
                              partOf(wanted[row], column + v * lanes, lanes));
  }
};

/// Makes scores of `row` from `column` on weights, where they are.
inline void makeRestWeights(const WeightProduct &all, int64_t row,
                            int64_t column) {
  const RowProduct &p = all.product;
  ColumnRange seen =
      partOf(spanOf(p.wanted, row, 1), column, p.columns - column);
  float *scores = p.c + row * p.cPitch + column + seen.begin;
  int64_t columns = seen.end - seen.begin;
  float shift = shiftOf(all, row, [&] { return largestOf(scores, columns); });
  float *totals = all.totals + row * lanes;
  store(totals, exponentials(scores, columns, all.factor, shift, load(totals)));
}

void weightProduct(const WeightProduct &all) {
  const RowProduct &p = all.product;
  int64_t column = 0;
#ifdef __AVX512F__
  bool isCut = p.wanted;
  for (int64_t row = 0; row < p.rows; ++row)
    isCut |= all.shifts[row] == lowest;
  column =
      isCut ? productBand<lanes, 4, 6, true>(p, column, MakeWeights<true>{all})
            : productBand<lanes, 4, 6>(p, column, MakeWeights<false>{all});
#endif
  if (column < p.columns) {
    productFrom(p, column);
    for (int64_t row = 0; row < p.rows; ++row)
      makeRestWeights(all, row, column);
  }
  for (int64_t row = 0; p.wanted && row < p.rows; ++row)
    clearOutside(p.c + row * p.cPitch, p.wanted[row], p.columns);
}

bool addTotals(const WeightTotals &all) {
  bool isExact = true;
  for (int64_t r = 0; r < all.rows; ++r) {
    Floats totals = load(all.totals + r * lanes);
    all.totals[r * lanes] = sumOf(totals);
    isExact &= all.totals[r * lanes] < mostTotal && all.shifts[r] < mostScore &&
               (all.shifts[r] > -mostScore || all.shifts[r] == lowest);
  }
  for (int64_t r = 0; isExact && r < all.rows; ++r)
    all.sums[r] += all.totals[r * lanes];
  return isExact;
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SOFTMAXPRODUCT_H
