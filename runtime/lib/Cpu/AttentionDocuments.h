//===- AttentionDocuments.h - tiles of documents ---------------*- C++ -*-===//
//
// Documents are data: which keys a tile of queries visits is known when they
// are read. Of each 32 queries and each 32 keys a thread knows the least and
// the largest number; where no two of these ranges meet nothing is computed,
// and where both have one number nothing is hidden. That is right of any
// numbers, and skips most where those of a document follow one another.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_ATTENTIONDOCUMENTS_H
#define HOCKET_LIB_CPU_ATTENTIONDOCUMENTS_H

#include "hocket/Cpu/Attention.h"
#include "hocket/Cpu/Scratch.h"

namespace hocket::runtime {

/// Queries [row, row + rows) and keys [key, key + count).
struct DocumentTile {
  int64_t row, rows, key, count;
};

/// The documents of one batch entry; one thread's. Without documents in the
/// arguments everything meets, as one.
class DocumentTiles {
public:
  explicit DocumentTiles(const AttentionArguments &arguments);

  void setScratch(ScratchPieces &pieces);
  /// Reads the numbers of a batch entry.
  void setBatch(int64_t b);

  /// False only if no query of the tile sees a key of it.
  bool meet(const DocumentTile &tile) const;
  /// True only if all queries of the tile see all keys of it.
  bool areOne(const DocumentTile &tile) const;
  /// added[r * pitch + j] = -infinity unless query row + r sees key key + j.
  void hide(const DocumentTile &tile, float *added, int64_t pitch) const;

private:
  struct Range {
    int64_t least, most;
  };
  struct Side {
    const Operand *ids = nullptr; // [B, count]
    int64_t count = 0;
    int64_t *numbers = nullptr;
    Range *ranges = nullptr; // of 32 each

    void setScratch(ScratchPieces &pieces);
    void read(int64_t b);
  };

  Side queries, keys;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONDOCUMENTS_H
