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

/// `rows` rows of c from `row` on, `vectors` times `lanes` columns from
/// `column` on: their sums stay in registers, of which there are 32 of 16
/// floats, or 16 of 8.
template <int lanes, int vectors, int rows>
inline void productBlock(const RowProduct &p, int64_t row, int64_t column) {
  typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));
  Lanes sums[rows][vectors] = {};
  float *c = p.c + row * p.cPitch + column;
  if (p.accumulate)
    for (int i = 0; i < rows; ++i)
      __builtin_memcpy(sums[i], c + i * p.cPitch, sizeof sums[i]);
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
  for (int i = 0; i < rows; ++i)
    __builtin_memcpy(c + i * p.cPitch, sums[i], sizeof sums[i]);
}

/// Rows from `row` on, `rows` at a time, and the rest of them by fewer.
template <int lanes, int vectors, int rows>
inline void productRows(const RowProduct &p, int64_t row, int64_t column) {
  for (; row + rows <= p.rows; row += rows)
    productBlock<lanes, vectors, rows>(p, row, column);
  if constexpr (rows > 1)
    productRows<lanes, vectors, rows == 6 ? 4 : rows / 2>(p, row, column);
}

/// All rows of the columns from `column` on, as many of these as are whole
/// blocks; returns the column behind them.
template <int lanes, int vectors, int rows>
int64_t productBand(const RowProduct &p, int64_t column) {
  for (; column + lanes * vectors <= p.columns; column += lanes * vectors)
    productRows<lanes, vectors, rows>(p, 0, column);
  return column;
}

void rowProduct(const RowProduct &p) {
  int64_t column = 0;
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

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_ROWPRODUCT_H
