//===- Transpose.h - transposition of rows of floats -----------*- C++ -*-===//
//
// Part of Vector.cpp, which is compiled once per processor level: everything
// has internal linkage.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_TRANSPOSE_H
#define HOCKET_LIB_CPU_VECTOR_TRANSPOSE_H

#include "hocket/Cpu/VectorFunctions.h"

namespace hocket::runtime {
namespace {

/// 8 rows of 8 floats in registers: pairs of elements, pairs of these, halves.
inline void transposeTile(const Transposition &t, int64_t row, int64_t column) {
  typedef float Lanes __attribute__((vector_size(32)));
  Lanes rows[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i)
    __builtin_memcpy(&rows[i], t.from + (row + i) * t.fromPitch + column,
                     sizeof rows[i]);
  for (int i = 0; i < 8; i += 2) {
    Lanes a = rows[i], b = rows[i + 1];
    pairs[i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int half = 0; half < 2; ++half) {
      Lanes a = pairs[i + half], b = pairs[i + half + 2];
      fours[i + 2 * half] =
          __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * half + 1] =
          __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  float *to = t.to + column * t.toPitch + row;
  for (int i = 0; i < 4; ++i) {
    Lanes a = fours[i], b = fours[i + 4];
    Lanes low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    Lanes high = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    __builtin_memcpy(to + i * t.toPitch, &low, sizeof low);
    __builtin_memcpy(to + (i + 4) * t.toPitch, &high, sizeof high);
  }
}

void transpose(const Transposition &t) {
  auto move = [&](int64_t row, int64_t column) {
    t.to[column * t.toPitch + row] = t.from[row * t.fromPitch + column];
  };
  int64_t row = 0;
  for (; row + 8 <= t.rows; row += 8) {
    int64_t column = 0;
    for (; column + 8 <= t.columns; column += 8)
      transposeTile(t, row, column);
    for (; column < t.columns; ++column)
      for (int64_t i = 0; i < 8; ++i)
        move(row + i, column);
  }
  for (; row < t.rows; ++row)
    for (int64_t column = 0; column < t.columns; ++column)
      move(row, column);
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_TRANSPOSE_H
