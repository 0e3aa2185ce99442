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

/// A row of scores that become weights, 16 at a time.
class WeightRow {
public:
  WeightRow(const WeightProduct &all, int64_t row)
      : factor(all.factor), shift(all.shifts[row]),
        totals(all.totals + row * lanes), sums(load(totals)) {}

  [[gnu::always_inline]] Floats operator()(Floats scores) {
    Floats weights = exponential(scores * factor - shift);
    sums += weights;
    return weights;
  }
  void end() { store(totals, sums); }

private:
  const float factor, shift;
  float *const totals;
  Floats sums;
};

struct MakeWeights {
  const WeightProduct &all;
  WeightRow row(int64_t row) const { return WeightRow(all, row); }
};

void weightProduct(const WeightProduct &all) {
  const RowProduct &p = all.product;
  int64_t column = 0;
#ifdef __AVX512F__
  column = productBand<lanes, 4, 6>(p, column, MakeWeights{all});
#endif
  if (column == p.columns)
    return;
  productFrom(p, column);
  for (int64_t row = 0; row < p.rows; ++row) {
    float *totals = all.totals + row * lanes;
    store(totals,
          exponentials(p.c + row * p.cPitch + column, p.columns - column,
                       all.factor, all.shifts[row], load(totals)));
  }
}

bool addTotals(const WeightTotals &all) {
  bool isExact = true;
  for (int64_t r = 0; r < all.rows; ++r) {
    Floats totals = load(all.totals + r * lanes);
    all.totals[r * lanes] = sumOf(totals);
    isExact &= all.totals[r * lanes] < mostTotal && all.shifts[r] < mostScore &&
               all.shifts[r] > -mostScore;
  }
  for (int64_t r = 0; isExact && r < all.rows; ++r)
    all.sums[r] += all.totals[r * lanes];
  return isExact;
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SOFTMAXPRODUCT_H
