//===- AttentionTiles.cpp - tiles of queries by keys ----------------------===//

#include "runtime/lib/Cpu/AttentionTiles.h"
#include "runtime/lib/Cpu/AttentionRows.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace hocket::runtime {

Operand AttentionArguments::byScores(Operand bias) const {
  bias.data = static_cast<char *>(bias.data) +
              keyOffset * bias.strides[3] * plan::byteSize(bias.type);
  for (int dim = 0; dim < 3; ++dim)
    bias.strides[dim] = bias.shape[dim] == 1 ? 0 : bias.strides[dim];
  bias.shape = {q.shape[0], q.shape[1], q.shape[2], k.shape[2]};
  return bias;
}

float rowDot(const float *a, const float *b, int64_t step, int64_t count) {
  float sums[8] = {};
  int64_t d = 0;
  for (; step == 1 && d + 8 <= count; d += 8)
    for (int lane = 0; lane < 8; ++lane)
      sums[lane] += a[d + lane] * b[d + lane];
  for (; d < count; ++d)
    sums[d % 8] += a[d] * b[d * step];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

void fillMask(const AttentionArguments &arguments, int64_t b, int64_t count,
              float *mask) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < count; ++j)
    mask[j] = arguments.isKept(b, j) ? 0.0f : lowest;
}

const ColumnRange *visibleColumns(const AttentionArguments &arguments,
                                  int64_t row, int64_t rows, KeyPieces pieces,
                                  ColumnRange *ranges) {
  const KeyPiece &last = pieces.first[pieces.count - 1];
  if (arguments.keyLimit(row) >= last.key + last.count &&
      arguments.keyBegin(row + rows - 1) <= pieces.first->key)
    return nullptr;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t begin = arguments.keyBegin(row + r);
    int64_t limit = arguments.keyLimit(row + r);
    ranges[r] = {0, 0};
    for (const KeyPiece &piece : pieces) {
      ranges[r].begin += std::clamp<int64_t>(begin - piece.key, 0, piece.count);
      ranges[r].end += std::clamp<int64_t>(limit - piece.key, 0, piece.count);
    }
    ranges[r].begin = std::min(ranges[r].begin, ranges[r].end);
  }
  return ranges;
}

void turnRanges(const ColumnRange *ranges, int64_t rows, ColumnRange *turned,
                int64_t columns) {
  int64_t begin = 0, end = 0;
  for (int64_t j = 0; j < columns; ++j) {
    while (begin < rows && ranges[begin].end <= j)
      ++begin;
    while (end < rows && ranges[end].begin <= j)
      ++end;
    turned[j] = {std::min(begin, end), end};
  }
}

void storeSums(const AttentionArguments &arguments, const TileSums &tile) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  int64_t step = arguments.out.strides[3], width = arguments.out.shape[3];
  for (int64_t r = 0; r < tile.rows; ++r) {
    float *to = rowOf(arguments.out, tile.b, tile.h, tile.row + r);
    const float *from = tile.output + r * width, sum = tile.sums[r];
    if (arguments.lse)
      rowOf(*arguments.lse, tile.b, tile.h, tile.row + r)[0] =
          sum == 0.0f ? lowest : lseOf(tile.shifts[r], sum);
    // A sum of 0: there was nothing to attend to.
    if (sum == 0.0f) {
      for (int64_t d = 0; d < width; ++d)
        to[d * step] = 0.0f;
      continue;
    }
    float inverse = 1.0f / sum;
    if (step == 1)
      for (int64_t d = 0; d < width; ++d)
        to[d] = from[d] * inverse;
    else
      for (int64_t d = 0; d < width; ++d)
        to[d * step] = from[d] * inverse;
  }
}

} // namespace hocket::runtime
