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

/// All rows of columns [column, end), as many of them as are whole blocks;
/// returns the column behind these.
template <int lanes, int vectors>
int64_t productBand(const RowProduct &p, int64_t column) {
  for (; column + lanes * vectors <= p.columns; column += lanes * vectors) {
    int64_t row = 0;
    for (; row + 6 <= p.rows; row += 6)
      productBlock<lanes, vectors, 6>(p, row, column);
    switch (p.rows - row) {
    case 5:
      productBlock<lanes, vectors, 5>(p, row, column);
      break;
    case 4:
      productBlock<lanes, vectors, 4>(p, row, column);
      break;
    case 3:
      productBlock<lanes, vectors, 3>(p, row, column);
      break;
    case 2:
      productBlock<lanes, vectors, 2>(p, row, column);
      break;
    case 1:
      productBlock<lanes, vectors, 1>(p, row, column);
      break;
    }
  }
  return column;
}

void rowProduct(const RowProduct &p) {
  int64_t column = 0;
#ifdef __AVX512F__
  column = productBand<16, 4>(p, column);
  column = productBand<16, 2>(p, column);
  column = productBand<16, 1>(p, column);
#else
  column = productBand<8, 2>(p, column);
#endif
  column = productBand<8, 1>(p, column);
  column = productBand<4, 1>(p, column);
  productBand<1, 1>(p, column);
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_ROWPRODUCT_H
