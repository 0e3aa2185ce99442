//===- Walk.cuh - the tiles that a tile of rows meets ----------*- C++ -*-===//
//
// Those in the range that causality and a window leave or, in the kernels of
// lists, those that are listed.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_WALK_CUH
#define HOCKET_LIB_CUDA_ATTENTION_WALK_CUH

#include "runtime/lib/Cuda/Attention/Documents.cuh"
#include "runtime/lib/Cuda/Attention/Heads.cuh"

namespace hocket::runtime::cuda {

/// What a layout and documents hide of a tile.
template <bool listed, int columns> struct TileMask {
  struct Row {
    __device__ bool sees(int) const { return true; }
  };
  __device__ bool hides() const { return false; }
  __device__ Row row(int) const { return {}; }
};
template <int columns> struct TileMask<true, columns> {
  class Row {
  public:
    __device__ Row(const TileMask &mask, int row) : mask(mask) {
      constexpr int pitch = (columns + 31) / 32;
      row = min(row, mask.rows - 1);
      // A row and the lead are below 2^32.
      uint32_t block = (row + mask.p.lead) / mask.p.block -
                       (mask.firstRow + mask.p.lead) / mask.p.block;
      words = mask.words ? mask.words + block * pitch : nullptr;
      id = mask.hasDocuments ? documentOf(mask.p.rows, mask.b, row) : 0;
    }
    /// The n-th column of the tile.
    __device__ bool sees(int n) const {
      if (words && !(words[n / 32] >> n % 32 & 1))
        return false;
      const DocumentIds &of = mask.p.columns;
      return !mask.hasDocuments ||
             id == documentOf(of, mask.b,
                              min(mask.firstColumn + n, of.count - 1));
    }

  private:
    const TileMask &mask;
    const uint32_t *words; // null: it hides nothing
    int64_t id;
  };
  const TileParameters &p;
  int64_t b;
  const uint32_t *words;
  bool hasDocuments;
  int firstRow, rows, firstColumn; // `rows` that there are of the head

  __device__ bool hides() const { return words || hasDocuments; }
  __device__ Row row(int row) const { return {*this, row}; }
};

/// The list of a tile of rows.
class TileList {
public:
  __device__ TileList(const AttentionParameters &given, int64_t b, int64_t h,
                      int row, int rows)
      : p(given.lists), b(b), firstRow(row) {
    int64_t list = (p.isPerHead ? h * given.tiles : 0) + row / rows;
    auto *starts = reinterpret_cast<const int64_t *>(p.starts) + list;
    tiles = reinterpret_cast<const ListedTile *>(p.tiles) + starts[0];
    count = int(starts[1] - starts[0]);
    if (!p.counts)
      return;
    tiles += b * p.total;
    count = reinterpret_cast<const int32_t *>(p.counts)[b * p.lists + list];
  }

  /// `rows`: that there are of the head.
  template <int columns>
  __device__ TileMask<true, columns> mask(int n, int rows) const {
    const ListedTile &tile = tiles[n];
    return {p,
            b,
            tile.mask < 0
                ? nullptr
                : reinterpret_cast<const uint32_t *>(p.masks) + tile.mask,
            p.counts && tile.hasDocuments,
            firstRow,
            rows,
            tile.tile * columns};
  }

  const TileParameters &p;
  const ListedTile *tiles;
  int count;

private:
  int64_t b;
  int firstRow;
};

/// Of keys, for rows [first, first + rows) of queries of a head: those of n =
/// begin, ..., end - 1.
template <bool listed> struct KeyWalk {
  int begin, end;

  __device__ KeyWalk(const AttentionParameters &p, int64_t, int64_t, int first,
                     int rows, int columns) {
    int last = min(first + rows, p.queries) - 1;
    begin = keysOf(p, first).begin / columns;
    end = (keysOf(p, last).end + columns - 1) / columns;
  }
  __device__ int tile(int n) const { return n; }
  template <int columns>
  __device__ TileMask<false, columns> mask(int, int) const {
    return {};
  }
};
template <> struct KeyWalk<true> : TileList {
  static constexpr int begin = 0;
  int end;

  __device__ KeyWalk(const AttentionParameters &p, int64_t b, int64_t h,
                     int first, int rows, int)
      : TileList(p, b, h, first, rows), end(count) {}
  __device__ int tile(int n) const { return tiles[n].tile; }
};

/// The heads of queries that read a head of keys.
struct Readers {
  int64_t first, count;

  __device__ Readers(const AttentionParameters &p, int64_t kvHead) {
    int64_t head = (kvHead + p.kvHeadOffset) * p.group - p.headOffset;
    first = max(head, int64_t(0));
    count = max(min(head + p.group, p.heads) - first, int64_t(0));
  }
};

/// Of queries of the heads that read rows [first, first + rows) of keys, those
/// of one head after those of another.
template <bool listed> struct QueryWalk {
  static constexpr int begin = 0;
  int64_t firstHead;
  int firstTile, tiles, end;

  __device__ QueryWalk(const AttentionParameters &p, int64_t, int64_t kvHead,
                       int first, int rows, int columns) {
    const Readers heads(p, kvHead);
    firstHead = heads.first;
    int last = min(first + rows, p.keys) - 1;
    firstTile = queriesOf(p, first).begin / columns;
    tiles =
        max((queriesOf(p, last).end + columns - 1) / columns - firstTile, 0);
    end = int(heads.count * tiles);
  }
  __device__ int64_t head(int n) const { return firstHead + n / tiles; }
  __device__ int tile(int n) const { return firstTile + n % tiles; }
  template <int columns>
  __device__ TileMask<false, columns> mask(int, int) const {
    return {};
  }
};
template <> struct QueryWalk<true> : TileList {
  static constexpr int begin = 0;
  int64_t firstHead;
  int end;

  __device__ QueryWalk(const AttentionParameters &p, int64_t b, int64_t kvHead,
                       int first, int rows, int)
      : TileList(p, b, kvHead, first, rows) {
    const Readers heads(p, kvHead);
    firstHead = heads.first;
    end = p.lists.isPerHead ? count : int(heads.count * count);
  }
  __device__ int64_t head(int n) const {
    return p.isPerHead ? tiles[n].head : firstHead + n / count;
  }
  __device__ int tile(int n) const { return tiles[placeOf(n)].tile; }
  template <int columns>
  __device__ TileMask<true, columns> mask(int n, int rows) const {
    return TileList::mask<columns>(placeOf(n), rows);
  }

private:
  __device__ int placeOf(int n) const { return p.isPerHead ? n : n % count; }
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_WALK_CUH
