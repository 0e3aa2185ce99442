//===- AttentionTiles.h - the tile products of attention -------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_ATTENTIONTILES_H
#define HOCKET_LIB_CPU_ATTENTIONTILES_H

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/VectorFunctions.h"
#include "runtime/lib/Cpu/Dnnl.h"

namespace hocket::runtime {

/// A oneDNN matmul whose three operands move from call to call; one thread's.
class TileProduct {
public:
  TileProduct() = default;
  explicit TileProduct(const dnnl::matmul::primitive_desc &descriptor);
  void setScratch(void *scratchpad);
  void run(dnnl::stream &stream, void *src, void *weights, void *dst);

private:
  dnnl::matmul primitive;
  dnnl::memory src, weights, dst, scratch;
  dnnl_exec_arg_t arguments[4];
};

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

/// Which columns of a tile queries [row, row + rows) see, but for padding:
/// `ranges`, by query, or null if each sees all.
const ColumnRange *visibleColumns(const AttentionArguments &arguments,
                                  int64_t row, int64_t rows, KeyPieces pieces,
                                  ColumnRange *ranges);

/// Sums of values by the weights of queries [row, row + rows), [rows, E], with
/// the maxima and sums of their scores.
struct TileSums {
  int64_t b, h, row, rows;
  const float *output, *maxima, *sums;
};
/// Divides them by the sums: `out` and `lse`.
void storeSums(const AttentionArguments &arguments, const TileSums &tile);

/// A matrix as oneDNN sees it; strides of extents 1 do not matter.
dnnl::memory::desc tileMatrix(int64_t rows, int64_t columns, int64_t rowStride,
                              int64_t columnStride);
/// dst = src * weights, or dst += with `accumulate`.
dnnl::matmul::primitive_desc tileProduct(const dnnl::memory::desc &src,
                                         const dnnl::memory::desc &weights,
                                         const dnnl::memory::desc &dst,
                                         bool accumulate);

/// Extents of tiles, and for each combination of a whole or last tile the two
/// products. Index 0 is the whole tile, 1 the last one where it is smaller.
struct TilePlan {
  /// Queries [rows, D] by keys gives scores; scores by values gives output,
  /// `first` written, `more` added.
  struct Products {
    dnnl::matmul::primitive_desc scores, first, more;
  };

  int64_t queryTile, keyTile;
  int64_t rows[2], columns[2]; // extents by index; 0 = there is no such tile
  bool packsKeys = false, packsValues = false;
  bool copiesQueries = false; // a tile of queries is made dense first
  dnnl::memory::desc plainKeys[2], plainValues[2]; // by column index
  dnnl::memory::desc keys[2], values[2];           // as the products want them
  Products products[2][2];
  int64_t scratchpad = 0;

  /// False if oneDNN has no fast kernel for some tile.
  bool make(const AttentionArguments &arguments);
  int64_t keyTileBytes() const;
  int64_t valueTileBytes() const;

private:
  bool makeProducts(const AttentionArguments &arguments, int row, int column);
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONTILES_H
