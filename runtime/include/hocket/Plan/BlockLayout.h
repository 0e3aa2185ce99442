//===- BlockLayout.h - which blocks of keys a block of queries sees -*- C++
//-*-//
//
// The layouts of block-sparse attention, as DeepSpeed defines them. A layout is
// kept as its rule, in the IR, in a plan and in an executable: a list of its
// blocks grows with the square of the sequence and with the heads, and a rank
// needs those of its own heads and rows only. Every rank derives these from the
// rule, by one function, when it prepares; random blocks are drawn by Philox
// from what is the same on all of them. Used by the compiler, the reference and
// the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_BLOCKLAYOUT_H
#define HOCKET_PLAN_BLOCKLAYOUT_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::plan {

/// Blocks [begin, end).
struct BlockRun {
  int64_t begin, end;
  bool operator==(const BlockRun &other) const {
    return begin == other.begin && end == other.end;
  }
};

enum class LayoutKind {
  Dense,
  Fixed,
  Variable,
  BigBird,
  BSLongformer,
  LocalSlidingWindow,
  Listed
};

/// A rule for any length: positions are in blocks of `block` tokens, the last
/// of which is whole. Each field is of the kinds that its comment names.
struct BlockLayout {
  LayoutKind kind = LayoutKind::Dense;
  int64_t block = 16;
  /// Whether each head has a layout of its own; else all have that of head 0.
  bool perHead = false;
  /// Fixed, Variable, BigBird, BSLongformer, LocalSlidingWindow. Of blocks:
  /// that of the query itself is seen whole.
  bool unidirectional = false;
  int64_t local = 4;       ///< Fixed: blocks of a local part
  int64_t global = 1;      ///< Fixed: blocks of a global part; BigBird
  bool horizontal = false; ///< Fixed, Variable: global rows too
  int64_t patterns = 1;    ///< Fixed: places of the global part, by head
  int64_t random = 0;      ///< Variable, BigBird: blocks drawn for each row
  int64_t window = 3; ///< BigBird, BSLongformer, LocalSlidingWindow: in blocks
  /// Variable: sizes of the local parts, of which the last one repeats.
  std::vector<int64_t> locals = {4};
  /// Variable, BSLongformer: global blocks, or with `globalEnds` ranges
  /// [globals[i], globalEnds[i]).
  std::vector<int64_t> globals = {0}, globalEnds = {};
  /// Variable, BigBird: seed XOR the hash of the layer's path.
  int64_t key = 0;
  /// Listed: the runs of a row as begin, end, begin, end, ...; rows of the
  /// first head, then those of the next one.
  std::vector<std::vector<int64_t>> rows = {};

  bool operator==(const BlockLayout &other) const;
  bool operator!=(const BlockLayout &other) const { return !(*this == other); }
};

/// What the language, the IR and a plan call a kind.
const char *toString(LayoutKind kind);

/// Why there is no such layout of a sequence of `tokens` in `heads` heads;
/// empty if there is.
std::string layoutProblem(const BlockLayout &layout, int64_t tokens,
                          int64_t heads);

/// The part of it that holds for any length and any number of heads.
std::string layoutProblem(const BlockLayout &layout);

/// The key blocks that query block `row` of `head`, counted over all heads of
/// the attention, visits in a sequence of `blocks` blocks: disjoint, not empty,
/// ascending, and not adjacent.
std::vector<BlockRun> visitedBlocks(const BlockLayout &layout, int64_t blocks,
                                    int64_t head, int64_t row);

/// Of the blocks that all rows of all heads visit: two layouts with the same
/// digest compute the same attention, whatever their rules.
uint64_t layoutDigest(const BlockLayout &layout, int64_t blocks, int64_t heads);

} // namespace hocket::plan

#endif // HOCKET_PLAN_BLOCKLAYOUT_H
