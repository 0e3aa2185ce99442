//===- RowProduct.h - products of small row-major matrices -----*- C++ -*-===//
//
// Part of Vector.cpp, which is compiled once per processor level: everything
// has internal linkage. For extents of tens, where a library's call costs as
// much as its product.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_ROWPRODUCT_H
#define HOCKET_LIB_CPU_VECTOR_ROWPRODUCT_H

#include "hocket/Cpu/VectorFunctions.h"

namespace hocket::runtime {
namespace {

/// Leaves sums of products as they are.
struct KeepSums {
  KeepSums row(int64_t row) const { return {}; }
  template <typename Lanes> Lanes operator()(Lanes sums) const { return sums; }
  void end() const {}
};

/// `rows` rows of c from `row` on, `vectors` times `lanes` columns from
/// `column` on: their sums stay in registers, of which there are 32 of 16
/// floats, or 16 of 8.
template <int lanes, int vectors, int rows, typename Finish>
inline void productBlock(const RowProduct &p, int64_t row, int64_t column,
                         const Finish &finish) {
  typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));
  Lanes sums[rows][vectors] = {};
  if (p.accumulate)
    for (int i = 0; i < rows; ++i)
      __builtin_memcpy(sums[i], p.c + (row + i) * p.cPitch + column,
                       sizeof sums[i]);
  const float *a = p.a + row * p.aRow;
  for (int64_t term = 0; term < p.count; ++term) {
    const float *b = p.terms[term].b + column;
    for (int64_t k = 0; k < p.terms[term].depth; ++k) {
      Lanes right[vectors];
      __builtin_memcpy(right, b, sizeof right);
      for (int i = 0; i < rows; ++i)
        for (int v = 0; v < vectors; ++v)
          sums[i][v] += a[i * p.aRow] * right[v];
      a += p.aColumn;
      b += p.bPitch;
    }
  }
  // Unrolled, sums are never in memory.
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    float *c = p.c + (row + i) * p.cPitch + column;
    auto make = finish.row(row + i);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      Lanes made = make(sums[i][v]);
      __builtin_memcpy(c + v * lanes, &made, sizeof made);
    }
    make.end();
  }
}

/// Rows from `row` on, `rows` at a time, and the rest of them by fewer.
template <int lanes, int vectors, int rows, typename Finish>
inline void productRows(const RowProduct &p, int64_t row, int64_t column,
                        const Finish &finish) {
  for (; row + rows <= p.rows; row += rows)
    productBlock<lanes, vectors, rows>(p, row, column, finish);
  if constexpr (rows > 1)
    productRows<lanes, vectors, rows == 6 ? 4 : rows / 2>(p, row, column,
                                                          finish);
}

/// All rows of the columns from `column` on, as many of these as are whole
/// blocks; returns the column behind them.
template <int lanes, int vectors, int rows, typename Finish = KeepSums>
int64_t productBand(const RowProduct &p, int64_t column,
                    const Finish &finish = {}) {
  for (; column + lanes * vectors <= p.columns; column += lanes * vectors)
    productRows<lanes, vectors, rows>(p, 0, column, finish);
  return column;
}

/// The columns from `column` on.
void productFrom(const RowProduct &p, int64_t column) {
#ifdef __AVX512F__
  column = productBand<16, 4, 6>(p, column);
  column = productBand<16, 2, 8>(p, column);
  column = productBand<16, 1, 16>(p, column);
#else
  column = productBand<8, 2, 6>(p, column);
#endif
  column = productBand<8, 1, 8>(p, column);
  column = productBand<4, 1, 8>(p, column);
  productBand<1, 1, 8>(p, column);
}

void rowProduct(const RowProduct &p) { productFrom(p, 0); }

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_ROWPRODUCT_H
