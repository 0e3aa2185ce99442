//===- AttentionWalk.h - the visited keys of tiles of queries ---*- C++ -*-===//
//
// Attention goes by tiles of queries that visit the same keys. These lie side
// by side in tiles of scores, however they are scattered, so that a softmax is
// of many blocks, and products of a block have its extents. Where no layout
// scatters them, a group of tiles goes over a chunk of keys after the other, so
// that these are read from far away once for all.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_ATTENTIONWALK_H
#define HOCKET_LIB_CPU_ATTENTIONWALK_H

#include "hocket/Cpu/Scratch.h"
#include "hocket/Cpu/StridedCopy.h"
#include "runtime/lib/Cpu/AttentionDocuments.h"
#include "runtime/lib/Cpu/AttentionTiles.h"

namespace hocket::runtime {

/// Queries [row, row + rows), which visit the keys of block row `blockRow`, if
/// there is a layout.
struct QueryTile {
  int64_t row, rows, blockRow;
};

/// How an attention is cut.
class BlockPlan {
public:
  /// `columns`: of a tile of scores, at most. Without a layout it has
  /// `denseRows`.
  BlockPlan(const AttentionArguments &arguments, int64_t columns,
            int64_t denseRows = 64);

  int64_t rows = 1, columns, pitch; // of a tile of scores
  /// Tiles of a group, at most, and their queries. They go over keys `chunk` at
  /// a time, each over all it visits of them.
  int64_t groupTiles, groupRows, chunk;
  /// Keys of a panel, and how many more the first one would have before key 0.
  int64_t panel, lead, panels;
  /// Transposed panels that are kept at a time: all, or few where few tiles
  /// visit a panel, so that these stay in the second-level cache.
  int64_t kept;

  int64_t panelOf(int64_t key) const { return (key + lead) / panel; }
  /// The keys of a panel that there are.
  KeyRun keysOf(int64_t panel) const;
  /// Without a layout: the keys of panels that have one that a query of the
  /// tile may read.
  KeyRun keysOf(const QueryTile &tile,
                const AttentionArguments &arguments) const;

  const QueryTile &tile(int64_t head, int64_t number) const {
    return tiles[firstTile(head) + number];
  }
  /// The queries of tiles [begin, end).
  QueryTile span(int64_t head, int64_t begin, int64_t end) const {
    const QueryTile &first = tile(head, begin), &last = tile(head, end - 1);
    return {first.row, last.row + last.rows - first.row, first.blockRow};
  }
  /// What tiles cost, in pairs of a query and a key, and the first one of which
  /// as much precedes it.
  int64_t work(int64_t head) const { return before[lastTile(head)]; }
  int64_t tileAt(int64_t head, int64_t work) const;

private:
  void addTiles(const AttentionArguments &arguments);
  void addTiles(const VisitedKeys &visited, int64_t head);
  void addTile(const QueryTile &tile, int64_t keys);
  void endHead();
  int64_t firstTile(int64_t head) const {
    return starts[starts.size() > 2 ? head : 0];
  }
  int64_t lastTile(int64_t head) const {
    return starts[(starts.size() > 2 ? head : 0) + 1] - 1;
  }

  int64_t keyCount, denseRows;
  std::vector<int64_t> starts; // of heads, in the two below
  /// Behind the last tile of a head there is one without queries.
  std::vector<QueryTile> tiles;
  std::vector<int64_t> before; // work of the head's tiles before
  int64_t headWork = 0;        // of the tiles that the head has so far
  int64_t visits = 0;          // of a panel by a tile, in all heads
};

/// Keys or values of a head as products want them, copied panel by panel when
/// they are asked for and not there. What at() gives of Rows stays until
/// setHead, of Transposed until the next at().
class HeadPanels {
public:
  enum Order { Rows, Transposed };
  HeadPanels(const Operand &from, const BlockPlan &plan, Order order);

  void setScratch(ScratchPieces &pieces);
  void setHead(int64_t b, int64_t head);
  /// Of Rows: where key `key` begins, keys are pitch() apart. Transposed: where
  /// its first element is, elements are pitch() apart and keys follow one
  /// another to the end of the panel.
  const float *at(int64_t key);
  int64_t pitch() const { return place; }
  /// Whether the panel of a key is to be copied when it is asked for, and ask()
  /// has not said so before.
  bool ask(int64_t key);
  /// Where the panel of a key is copied from.
  RowsAhead rowsOf(int64_t key) const;

private:
  const Operand &from;
  const BlockPlan &plan;
  const Order order;
  const bool isCopied;
  const int64_t size, place, slots;
  StridedCopy copies[3]; // of the first panel, of others, of the last
  int64_t b = 0, head = 0;
  float *panels = nullptr;
  int64_t *held = nullptr;    // by slot: number of its panel, or -1
  std::vector<int64_t> asked; // by slot: number of one that comes soon, or -1
};

/// The keys that a group of tiles visits, a tile of scores at a time; one
/// thread's.
class KeyWalk {
public:
  KeyWalk(const AttentionArguments &arguments, const BlockPlan &plan);

  void setScratch(ScratchPieces &pieces);
  void setBatch(int64_t b);
  /// Goes to the begin of tiles [begin, end) of a head.
  void begin(int64_t head, int64_t begin, int64_t end);
  /// Goes on to the next keys; false: the last ones have been met.
  bool next();
  const QueryTile &tile() const { return at->tile; }
  /// Whether these are the first ones that the tile visits, or all of them.
  bool isFirst() const { return at->met == count; }
  bool isWhole() const { return isFirst() && at->run == at->last; }

  KeyPieces pieces() const { return {list.data(), count}; }
  /// Whether padding or other documents may hide keys of the pieces, or scores
  /// have a bias.
  bool isChanged() const;
  int64_t columns = 0;
  /// As in SoftmaxTile, of the tile or of a piece of it, until it is asked for
  /// again.
  const ColumnRange *visible() { return visible(pieces()); }
  const ColumnRange *visible(const KeyPiece &piece) {
    return visible({&piece, 1});
  }
  /// By key of a piece, the queries of the tile that see it, or null: all.
  const ColumnRange *seeing(const KeyPiece &piece);
  /// As in SoftmaxTile.
  const float *mask();
  /// As in SoftmaxTile.
  struct Added {
    const float *first;
    int64_t pitch;
  };
  Added added();
  /// Adds a tile of the scores' to a bias of them (see byScores).
  void addTo(const Operand &bias, const float *tile) const;
  /// Drops weights of the tile, which are at `tile`.
  void drop(float *tile) const;

private:
  /// Where a tile of the group is: at `key` of `run`; it has met `met` pieces.
  struct Cursor {
    QueryTile tile;
    KeyRun whole; // the run, if there is no layout
    const KeyRun *run, *last;
    int64_t key, met;
  };
  void beginTile(const QueryTile &tile, Cursor &cursor) const;
  bool nextChunk();
  void takePieces();
  const ColumnRange *visible(KeyPieces pieces);
  bool isOneRun() const;
  DocumentTile met(const KeyPiece &piece) const {
    return {tile().row, tile().rows, piece.key, piece.count};
  }

  const AttentionArguments &given;
  const BlockPlan &plan;
  const VectorFunctions &functions;
  int64_t b = 0, head = 0, count = 0, chunkEnd = 0;
  DocumentTiles documents;
  std::optional<Operand> bias; // by scores
  std::vector<Cursor> cursors;
  Cursor *at = nullptr, *stop = nullptr; // of the group
  std::vector<KeyPiece> list;
  std::vector<ColumnRange> ranges, turned;
  float *keep = nullptr, *keepOfTile = nullptr, *addedToTile = nullptr;
};

/// Copies rows of a head to dense ones, and back; from nowhere: zeros.
void loadRows(const Operand &from, int64_t b, int64_t h, const QueryTile &tile,
              float *to);
void storeRows(const Operand &to, int64_t b, int64_t h, const QueryTile &tile,
               const float *from);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONWALK_H
