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
  template <typename Lanes, int vectors>
  void operator()(int64_t row, int64_t column, Lanes (&sums)[vectors]) const {}
};

/// The part of a range that lies in [begin, begin + count), counted from there.
inline ColumnRange partOf(ColumnRange range, int64_t begin, int64_t count) {
  auto inside = [&](int64_t at) {
    return at < begin ? 0 : at - begin < count ? at - begin : count;
  };
  return {inside(range.begin), inside(range.end)};
}

/// From the first to the last column of ranges of rows; null: all columns.
inline ColumnRange spanOf(const ColumnRange *ranges, int64_t row,
                          int64_t rows) {
  if (!ranges)
    return {0, INT64_MAX};
  ColumnRange span = {INT64_MAX, 0};
  for (int64_t r = row; r < row + rows; ++r)
    if (ranges[r].begin < ranges[r].end) {
      span.begin = ranges[r].begin < span.begin ? ranges[r].begin : span.begin;
      span.end = ranges[r].end > span.end ? ranges[r].end : span.end;
    }
  return span.end == 0 ? ColumnRange{0, 0} : span;
}

/// `rows` rows of c from `row` on, `vectors` times `lanes` columns from
/// `column` on: their sums stay in registers, of which there are 32 of 16
/// floats, or 16 of 8. `isCut`: by the columns of a that are not 0.
template <int lanes, int vectors, int rows, bool isCut, typename Finish>
[[gnu::always_inline]] inline void productBlock(const RowProduct &p,
                                                int64_t row, int64_t column,
                                                const Finish &finish) {
  typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));
  Lanes sums[rows][vectors] = {};
  if (p.accumulate)
    for (int i = 0; i < rows; ++i)
      __builtin_memcpy(sums[i], p.c + (row + i) * p.cPitch + column,
                       sizeof sums[i]);
  const float *a = p.a + row * p.aRow;
  ColumnRange used;
  if constexpr (isCut)
    used = spanOf(p.nonzero, row, rows);
  for (int64_t term = 0, before = 0; term < p.count; ++term) {
    const float *b = p.terms[term].b + column;
    int64_t depth = p.terms[term].depth;
    if constexpr (isCut) {
      auto [begin, end] = partOf(used, before, depth);
      a = p.a + row * p.aRow + (before + begin) * p.aColumn;
      b += begin * p.bPitch;
      before += depth;
      depth = end - begin;
    }
    for (int64_t k = 0; k < depth; ++k) {
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
    finish(row + i, column, sums[i]);
    __builtin_memcpy(p.c + (row + i) * p.cPitch + column, sums[i],
                     sizeof sums[i]);
  }
}

/// Of such a block, the vectors that hold columns of `wanted`, which are
/// counted from `column`.
template <int lanes, int vectors, int rows, typename Finish>
[[gnu::noinline]] void productPart(const RowProduct &p, int64_t row,
                                   int64_t column, ColumnRange wanted,
                                   const Finish &finish) {
  int64_t begin = wanted.begin / lanes * lanes;
  if (wanted.end - begin > (vectors - 1) * lanes)
    productBlock<lanes, vectors, rows, true>(p, row, column + begin, finish);
  else if constexpr (vectors > 1)
    productPart<lanes, vectors - 1, rows>(p, row, column, wanted, finish);
}

/// Memory brings lines while products are computed if there are few at a time;
/// asked for many at once, a core waits.
inline void askAhead(const RowProduct &p, int64_t row, int64_t rows) {
  constexpr int64_t line = 16;
  for (const RowsAhead &ahead : p.ahead)
    for (int64_t r = row; r < row + rows && r < ahead.rows; ++r)
      for (int64_t i = 0; i < ahead.size; i += line)
        __builtin_prefetch(ahead.first + r * ahead.pitch + i, 0, 2);
}

/// Rows from `row` on, `rows` at a time, and the rest of them by fewer.
template <int lanes, int vectors, int rows, bool isCut, typename Finish>
inline void productRows(const RowProduct &p, int64_t row, int64_t column,
                        const Finish &finish) {
  for (; row + rows <= p.rows; row += rows) {
    if (column == 0)
      askAhead(p, row, rows);
    if constexpr (isCut)
      productPart<lanes, vectors, rows>(
          p, row, column,
          partOf(spanOf(p.wanted, row, rows), column, lanes * vectors), finish);
    else
      productBlock<lanes, vectors, rows, false>(p, row, column, finish);
  }
  if constexpr (rows > 1)
    productRows<lanes, vectors, rows == 6 ? 4 : rows / 2, isCut>(p, row, column,
                                                                 finish);
}

/// All rows of the columns from `column` on, as many of these as are whole
/// blocks; returns the column behind them.
template <int lanes, int vectors, int rows, bool isCut = false,
          typename Finish = KeepSums>
int64_t productBand(const RowProduct &p, int64_t column,
                    const Finish &finish = {}) {
  for (; column + lanes * vectors <= p.columns; column += lanes * vectors)
    productRows<lanes, vectors, rows, isCut>(p, 0, column, finish);
  return column;
}

/// The columns from `column` on. Few of them are not worth a cut.
void productFrom(const RowProduct &p, int64_t column) {
  const bool isCut = p.wanted || p.nonzero;
#ifdef __AVX512F__
  column = isCut ? productBand<16, 4, 6, true>(p, column)
                 : productBand<16, 4, 6>(p, column);
  column = productBand<16, 2, 8>(p, column);
  column = productBand<16, 1, 16>(p, column);
#else
  column = isCut ? productBand<8, 2, 6, true>(p, column)
                 : productBand<8, 2, 6>(p, column);
#endif
  column = productBand<8, 1, 8>(p, column);
  column = productBand<4, 1, 8>(p, column);
  productBand<1, 1, 8>(p, column);
}

void rowProduct(const RowProduct &p) { productFrom(p, 0); }

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_ROWPRODUCT_H
