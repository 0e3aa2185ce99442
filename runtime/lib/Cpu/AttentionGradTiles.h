//===- AttentionGradTiles.h - products of a gradient's blocks --*- C++ -*-===//
//
// A block of m queries against n keys, keys and values transposed where that
// makes every operand a plain row-major matrix (K^T, V^T, Q^T, dO^T are copies
// made once for many products):
//
//   scores [m, n] = Q K^T          dQ   [m, d] += dS K
//   dP     [m, n] = dO V^T         dK^T [d, n] += Q^T dS
//                                  dV^T [e, n] += dO^T P
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_ATTENTIONGRADTILES_H
#define HOCKET_LIB_CPU_ATTENTIONGRADTILES_H

#include "runtime/lib/Cpu/AttentionTiles.h"

namespace hocket::runtime {

/// Extents, by index 0 the whole tile and by 1 the last one if it is smaller,
/// and the products of each combination.
struct GradPlan {
  struct Products {
    dnnl::matmul::primitive_desc scores, weights, queries, keys, values;
  };

  int64_t queryCount, keyCount, depth, width;
  int64_t queryTile, keyTile;
  int64_t pitch;     // of matrices with a column for each key
  int64_t tilePitch; // of those with a column for each key of a tile
  int64_t rows[2], columns[2];
  Products products[2][2];
  int64_t scratchpad = 0;
  /// Work is cut by (batch entry, kv head) and, where these are few, in pieces
  /// of their blocks, which add up apart. Not by threads: the order of a sum
  /// is that of the problem.
  int64_t items, pieces;

  /// False if oneDNN has no fast kernel for some tile.
  bool make(const AttentionGradArguments &arguments);
  int64_t blocks() const { return (queryCount + queryTile - 1) / queryTile; }
  /// Floats of dK^T and dV^T of one piece.
  int64_t sumElements() const { return (depth + width) * pitch; }

private:
  bool makeProducts(int row, int column);
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONGRADTILES_H
