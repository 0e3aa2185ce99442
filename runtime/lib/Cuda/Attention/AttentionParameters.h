//===- AttentionParameters.h - what attention's kernels take ---*- C++ -*-===//
//
// Read by nvcc as well: no more than plain structs and numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPARAMETERS_H
#define HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPARAMETERS_H

#include "runtime/lib/Cuda/Attention/TileParameters.h"
#include <stdint.h>

namespace hocket::runtime::cuda {

/// [batch, head, row, element]; strides in elements.
struct HeadTensor {
  uint64_t data;
  int64_t strides[4];
  int64_t extent;    // elements of a row
  int32_t hasGroups; // rows are whole groups of 16 bytes, wherever they begin
  int32_t unused;
};

/// Of scores: [batch, head, query, key], of the type of q or f32. 0 strides
/// along what one number is for all of.
struct ScoreTensor {
  uint64_t data; // 0: absent
  int64_t strides[4];
  int64_t isWide; // f32 of 16-bit queries
};

/// See AttentionDropout.
struct DropoutParameters {
  static constexpr int mostSizes = 8;
  uint64_t key, first;
  uint64_t step; // address of an i32
  double scale;
  uint32_t threshold;
  int32_t rank;
  int64_t sizes[mostSizes], strides[mostSizes];
};

/// See AttentionArguments. Heads have at most 2^31 - 2^16 queries and keys.
struct AttentionParameters {
  HeadTensor q, k, v, out;
  HeadTensor dout, dq, dk, dv; // of a gradient
  /// [B, H, S] dense: of dout * out, summed. F32 and F64: [3, B, H, S], see
  /// AttentionPlainGrad.cu.
  uint64_t means;
  uint64_t lse, keep; // 0: absent
  int64_t lseStrides[3], keepStrides[2];
  int64_t batch, heads, kvHeads;
  int64_t group, headOffset, kvHeadOffset, keyOffset;
  /// Query i sees keys [i + firstBegin, i + firstLimit) of those there are.
  int64_t firstLimit, firstBegin;
  double scale;
  int32_t queries, keys;
  int32_t isLimited, hasBegin;
  int32_t isTerm; // of a gradient: out and lse are of more keys
  uint32_t tiles; // of a head: blocks
  /// Blocks begin in this order: of so many heads the same tile, then the next
  /// one, those first that meet most.
  uint32_t headsAtOnce;
  int32_t beginsWithLast;  // tile
  uint32_t rows;           // of all heads, for means
  ScoreTensor bias, dbias; // of the kernels of biases, which are of lists
  DropoutParameters dropout;
  TileParameters lists; // of the kernels of lists
};

/// Rows of a block's tile of queries or, for the gradients of keys and values,
/// of keys; and how many columns it meets at a time.
struct TileShape {
  int rows, columns;
};

/// F16 and BF16. Rows of a warp: two fragments, which share what they are
/// multiplied by, where the sums of both fit its registers. `drops`: dropout
/// takes registers too. Tiles are as large as registers allow without a spill,
/// and a block has at most 99 KiB of shared memory: all that some chips give.
constexpr int halfThreads = 128;
constexpr int halfFragments(int depth) { return depth <= 128 ? 2 : 1; }
/// Stages of keys and values. With one, values come while scores are computed,
/// and the next keys while they are weighed: then tiles may have more columns,
/// except with lists, which take registers.
constexpr int halfStages(int depth, bool drops, bool isListed) {
  return depth == 64 && !drops && !isListed ? 1 : 2;
}
constexpr TileShape halfTile(int depth, bool drops, bool isListed) {
  int columns = depth == 128 && drops     ? 16
                : depth > 64 || drops     ? 32
                : isListed || depth == 32 ? 64
                                          : 128;
  return {halfThreads / 2 * halfFragments(depth), columns};
}
constexpr int halfShared(int depth, bool drops, bool isListed) {
  TileShape tile = halfTile(depth, drops, isListed);
  int stages = halfStages(depth, drops, isListed);
  return (tile.rows + 2 * stages * tile.columns) * depth * 2;
}
/// Of queries of a gradient's tile: lse, mean and, with dropout, a number.
constexpr int halfStateBytes(int queries, bool drops) {
  return queries * 8 + (drops ? queries : 1) * 8;
}
/// Of the gradient of queries. Besides tiles: lse, mean and number of each row.
constexpr TileShape halfQueriesTile(int depth) {
  return {halfThreads / 2 * halfFragments(depth), depth <= 64 ? 32 : 16};
}
constexpr int halfQueriesShared(int depth, bool drops) {
  TileShape tile = halfQueriesTile(depth);
  return (2 * tile.rows + 4 * tile.columns) * depth * 2 +
         halfStateBytes(tile.rows, drops);
}
/// Of the gradients of keys and values, whose warps are in pairs.
constexpr TileShape halfKeysTile(int depth, bool drops) {
  return {halfThreads / 4 * halfFragments(depth), depth <= 64 && !drops ? 64
                                                  : depth <= 128        ? 32
                                                                        : 16};
}
/// Besides tiles: weights on their way within a pair, and for two stages lse,
/// mean and number of each column.
constexpr int halfKeysShared(int depth, bool drops) {
  TileShape tile = halfKeysTile(depth, drops);
  return (2 * tile.rows + 4 * tile.columns) * depth * 2 +
         tile.rows * tile.columns * 4 + 2 * halfStateBytes(tile.columns, drops);
}

/// F32 and F64: 16 x 16 threads, each with some rows and columns. Rows in
/// shared memory have 16 bytes more than they need.
constexpr int plainThreads = 256;
constexpr TileShape plainTile(int depth, int bytes) {
  int side = bytes == 4 ? (depth <= 128 ? 64 : 32) : depth <= 128 ? 32 : 16;
  return {side, side};
}
constexpr TileShape plainGradTile(int depth, int bytes) {
  int side = bytes == 4 ? (depth <= 128 ? 32 : 16) : depth <= 64 ? 32 : 16;
  return {side, side};
}
/// Blocks that registers leave room for on a multiprocessor.
constexpr int plainGradBlocks(int depth, int bytes, bool drops) {
  return depth > 128 ? 1 : depth > 64 || bytes == 8 || drops ? 2 : 3;
}
constexpr int plainShared(int depth, int bytes) {
  TileShape tile = plainTile(depth, bytes);
  return (tile.rows + tile.columns) * (depth * bytes + 16) +
         tile.rows * (tile.columns * bytes + 16);
}
constexpr int plainGradShared(int depth, int bytes) {
  TileShape tile = plainGradTile(depth, bytes);
  return 2 * (tile.rows + tile.columns) * (depth * bytes + 16) +
         2 * tile.rows * (tile.columns * bytes + 16) +
         tile.columns * (4 * bytes + 8);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPARAMETERS_H
