//===- SplitParts.h - float32 numbers as sums of bf16 numbers --*- C++ -*-===//
//
// Part of Split.cpp, which is compiled for processors with a matrix unit:
// everything has internal linkage.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_VECTOR_SPLITPARTS_H
#define HOCKET_LIB_CPU_VECTOR_SPLITPARTS_H

#include "hocket/Cpu/SplitFunctions.h"
#include "runtime/lib/Cpu/Vector/Softmax.h"

namespace hocket::runtime {
namespace {

/// The bf16 number next to x, away from zero of two: what is left has 16 bits,
/// and has 8 after the same again.
inline Floats nextPart(Floats x) {
  return (Floats)(((Integers)x + 0x8000) & int32_t(0xffff0000));
}

/// Pairs of two bf16 numbers: first in the low half.
inline Integers pairsOf(Floats first, Floats second) {
  typedef uint32_t Bits __attribute__((vector_size(sizeof(Floats))));
  return (Integers)(((Bits)first >> 16) | ((Bits)second & 0xffff0000u));
}

/// Pairs of x and y: a row of each tile of a block.
[[gnu::always_inline]] inline void splitPairsOf(Floats x, Floats y,
                                                Integers (&rows)[3]) {
  Floats a = nextPart(x), b = nextPart(y);
  rows[0] = pairsOf(a, b);
  x -= a, y -= b;
  a = nextPart(x), b = nextPart(y);
  rows[1] = pairsOf(a, b);
  rows[2] = pairsOf(x - a, y - b);
}

/// Of rows x[0] and x[1], of two vectors each: their pairs across rows, by
/// vector, and along rows, by row.
[[gnu::always_inline]] inline void splitFour(Floats (&x)[2][2],
                                             Integers (&across)[2][3],
                                             Integers (&along)[2][3]) {
  for (int part = 0; part < 3; ++part) {
    Floats next[2][2];
    for (int r = 0; r < 2; ++r)
      for (int v = 0; v < 2; ++v) {
        next[r][v] = part < 2 ? nextPart(x[r][v]) : x[r][v];
        x[r][v] -= next[r][v];
      }
    for (int i = 0; i < 2; ++i) {
      across[i][part] = pairsOf(next[0][i], next[1][i]);
      along[i][part] = pairsOf(next[i][0], next[i][1]);
    }
  }
}

inline void storeRows(Pair *block, int64_t row, const Integers (&rows)[3]) {
  for (int part = 0; part < 3; ++part)
    __builtin_memcpy(block + part * splitTile + row * splitSide, &rows[part],
                     sizeof rows[part]);
}

/// 16 of `count` floats, zeros behind them.
inline Floats loadUpTo(const float *from, int64_t count) {
  if (count >= lanes)
    return load(from);
  return count <= 0 ? Floats{}
                    : (Floats)_mm512_maskz_loadu_ps(
                          __mmask16((1u << count) - 1), from);
}

/// Halves of rows i and i + d, of each 2 d lanes, change places: of the first
/// row's, and of the second's.
template <int d> constexpr int laneOf(int lane, bool isSecond) {
  return isSecond ? (lane & d ? 16 + lane : lane + d)
                  : (lane & d ? 16 + lane - d : lane);
}
template <int d, bool isSecond>
[[gnu::always_inline]] inline Integers exchange(Integers a, Integers b) {
  constexpr auto at = [](int lane) { return laneOf<d>(lane, isSecond); };
  return __builtin_shufflevector(a, b, at(0), at(1), at(2), at(3), at(4), at(5),
                                 at(6), at(7), at(8), at(9), at(10), at(11),
                                 at(12), at(13), at(14), at(15));
}
template <int d>
[[gnu::always_inline]] inline void exchangeRows(Integers (&rows)[16]) {
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    if ((i & d) == 0) {
      Integers a = rows[i], b = rows[i + d];
      rows[i] = exchange<d, false>(a, b);
      rows[i + d] = exchange<d, true>(a, b);
    }
}

/// Rows of 16 pairs become columns.
inline void turnTile(Pair *tile) {
  Integers rows[16];
  __builtin_memcpy(rows, tile, sizeof rows);
  exchangeRows<8>(rows);
  exchangeRows<4>(rows);
  exchangeRows<2>(rows);
  exchangeRows<1>(rows);
  __builtin_memcpy(tile, rows, sizeof rows);
}

inline void turnBlock(Pair *block) {
  for (int part = 0; part < 3; ++part)
    turnTile(block + part * splitTile);
}

/// Pairs along rows.
template <bool isTurned> void splitAlong(const Split &split) {
  for (int64_t i = 0; i < splitUp(split.rows); i += splitSide)
    for (int64_t k = 0; k < split.columns; k += splitDepth) {
      Pair *block =
          split.to + (i / splitSide * split.step + k / splitDepth) * splitBlock;
      for (int64_t r = 0; r < splitSide; ++r) {
        const bool isThere = i + r < split.rows;
        const float *from = split.from + (isThere ? i + r : 0) * split.pitch;
        int64_t count = isThere ? split.columns - k : 0;
        Integers rows[3];
        splitPairsOf(loadUpTo(from + k, count),
                     loadUpTo(from + k + lanes, count - lanes), rows);
        storeRows(block, r, rows);
      }
      if (isTurned)
        turnBlock(block);
    }
}

/// Pairs across rows.
template <bool isTurned> void splitAcross(const Split &split) {
  for (int64_t j = 0; j < splitUp(split.columns); j += splitSide)
    for (int64_t k = 0; k < split.rows; k += splitDepth) {
      Pair *block =
          split.to + (j / splitSide * split.step + k / splitDepth) * splitBlock;
      auto part = [&](int64_t row) {
        return row < split.rows ? loadUpTo(split.from + row * split.pitch + j,
                                           split.columns - j)
                                : Floats{};
      };
      for (int64_t r = 0; r < splitSide; ++r) {
        Integers rows[3];
        splitPairsOf(part(k + r), part(k + r + splitSide), rows);
        storeRows(block, r, rows);
      }
      if (isTurned)
        turnBlock(block);
    }
}

uint32_t largestBits(const float *from, int64_t count) {
  uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    __builtin_memcpy(&bits, from + i, sizeof bits);
    bits &= 0x7fffffff;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

} // namespace
} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_VECTOR_SPLITPARTS_H
