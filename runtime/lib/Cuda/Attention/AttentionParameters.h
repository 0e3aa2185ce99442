//===- AttentionParameters.h - what attention's kernels take ---*- C++ -*-===//
//
// Read by nvcc as well: no more than plain structs and numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPARAMETERS_H
#define HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPARAMETERS_H

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
  int64_t heads, kvHeads;
  int64_t group, headOffset, kvHeadOffset, keyOffset;
  /// Query i sees keys [i + firstBegin, i + firstLimit) of those there are.
  int64_t firstLimit, firstBegin;
  double scale;
  int32_t queries, keys;
  int32_t isLimited, hasBegin;
  uint32_t tiles; // of a head: blocks
  uint32_t rows;  // of all heads, for means
  DropoutParameters dropout;
};

/// What a gradient's kernel writes.
enum class GradientOf { Queries, KeysAndValues, Keys, Values };

/// Rows of a block's tile of queries or, for the gradients of keys and values,
/// of keys; and how many columns it meets at a time.
struct TileShape {
  int rows, columns;
};

/// F16 and BF16: 16 rows a warp, two stages of columns.
constexpr int halfThreads = 128;
constexpr TileShape halfTile(int depth) { return {64, depth <= 128 ? 64 : 32}; }
/// `drops`: dropout takes registers too.
constexpr TileShape halfGradTile(int depth, bool drops) {
  return {64, depth <= 64 ? 64 : depth <= 128 && !drops ? 32 : 16};
}
constexpr int halfShared(int depth) {
  return (halfTile(depth).rows + 4 * halfTile(depth).columns) * depth * 2;
}
/// Besides tiles: for two stages lse, mean and number of each column.
constexpr int halfGradShared(int depth, bool drops) {
  TileShape tile = halfGradTile(depth, drops);
  return (2 * tile.rows + 4 * tile.columns) * depth * 2 + 2 * tile.columns * 16;
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
