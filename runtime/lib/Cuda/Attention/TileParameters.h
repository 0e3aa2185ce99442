//===- TileParameters.h - lists of tiles as kernels take them --*- C++ -*-===//
//
// Read by nvcc as well: no more than plain structs and numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_TILEPARAMETERS_H
#define HOCKET_LIB_CUDA_ATTENTION_TILEPARAMETERS_H

#include <stdint.h>

namespace hocket::runtime::cuda {

/// A tile of columns that a tile of rows meets.
struct ListedTile {
  int32_t tile;
  /// Where its mask begins in `masks`; -1: the layout hides nothing of it.
  int32_t mask;
  int32_t head; // of queries, if rows are keys and each head has its own layout
  int32_t hasDocuments; // whether rows and columns are of more than one
};

/// Which document each is of: [batch, count], strides in elements.
struct DocumentIds {
  uint64_t data;
  int64_t strides[2];
  int32_t count;
  int32_t isWide; // i64, else i32
};

/// The tiles that tiles of rows meet, in that order. A mask has, for each block
/// of the layout that has rows of the tile, a bit for each column, in whole
/// words: whether the block sees it. Of what causality or a window hides anyway
/// bits say nothing.
struct TileParameters {
  uint64_t starts; // i64: of list l, tiles [starts[l], starts[l + 1])
  uint64_t tiles;  // ListedTile
  uint64_t masks;  // u32
  uint64_t
      order; // u32: the tiles of rows of a head, those first that meet most
  /// i32, [batch, lists]: how many tiles of a list a batch entry has, from its
  /// start on, in `tiles` of its own. 0: no documents, all have all.
  uint64_t counts;
  int64_t total; // tiles of all lists
  uint32_t lists;
  /// List h * p.tiles + t is that of tile t of head h; else list t of all.
  int32_t isPerHead;
  uint32_t block, lead; // row r is in block (r + lead) / block
  DocumentIds rows, columns;
};

/// Of the kernels that choose, for each batch entry, the tiles whose documents
/// meet.
struct DocumentsParameters {
  TileParameters lists; // with what is chosen from
  uint64_t ranges;      // i64: the least and the most of each tile of columns
  uint64_t chosen, counts;
  int32_t tileRows, tileColumns;
  uint32_t rowTiles, columnTiles; // of a batch entry
  uint32_t batch;
};
constexpr int documentsThreads = 128;

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_TILEPARAMETERS_H
