//===- AttentionTiles.h - tiles of queries by keys -------------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONTILES_H
#define HOCKET_LIB_CPU_ATTENTIONTILES_H

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/VectorFunctions.h"

namespace hocket::runtime {

/// The address of head `h` of batch entry `b`, row `row`.
inline float *rowOf(const Operand &operand, int64_t b, int64_t h, int64_t row) {
  return static_cast<float *>(operand.data) + b * operand.strides[0] +
         h * operand.strides[1] + row * operand.strides[2];
}

/// The inner product of `a` and of elements `step` apart; the order of its sum
/// is that of `count`.
float rowDot(const float *a, const float *b, int64_t step, int64_t count);

/// What is added to the scores of keys [0, count): nothing, or -infinity.
void fillMask(const AttentionArguments &arguments, int64_t b, int64_t count,
              float *mask);

/// Keys [key, key + count), which are columns from `column` on of a tile.
struct KeyPiece {
  int64_t key, count, column;
};
/// Pieces of a tile, ascending.
struct KeyPieces {
  const KeyPiece *first;
  int64_t count;
  const KeyPiece *begin() const { return first; }
  const KeyPiece *end() const { return first + count; }
};

/// Which columns of a tile queries [row, row + rows) see, except padding:
/// `ranges`, by query, or null if each sees all.
const ColumnRange *visibleColumns(const AttentionArguments &arguments,
                                  int64_t row, int64_t rows, KeyPieces pieces,
                                  ColumnRange *ranges);

/// By column, the rows in whose ranges it is; both ends of ranges rise with the
/// row, except those of empty ranges.
void turnRanges(const ColumnRange *ranges, int64_t rows, ColumnRange *turned,
                int64_t columns);

/// Sums of values by the weights of queries [row, row + rows), [rows, E], with
/// the shifts and sums of their scores.
struct TileSums {
  int64_t b, h, row, rows;
  const float *output, *shifts, *sums;
};
/// Divides them by the sums: `out` and `lse`.
void storeSums(const AttentionArguments &arguments, const TileSums &tile);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONTILES_H
