//===- VisitedKeys.h - keys that blocks of queries visit -------*- C++ -*-===//

#ifndef HOCKET_CPU_VISITEDKEYS_H
#define HOCKET_CPU_VISITEDKEYS_H

#include "hocket/Plan/BlockLayout.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace hocket::runtime {

struct AttentionArguments;

/// Keys [begin, end).
struct KeyRun {
  int64_t begin, end;
  bool operator==(const KeyRun &other) const {
    return begin == other.begin && end == other.end;
  }
};

/// Which keys queries visit in the whole sequence: those of block row `row`,
/// queries [row * block, (row + 1) * block), of global head `head` visit the
/// keys of runs(head, row), ascending and disjoint.
struct BlockRule {
  int64_t block;
  bool isPerHead; // else all heads have the runs of head 0
  std::function<std::vector<KeyRun>(int64_t head, int64_t row)> runs;
};

/// That of a layout in a sequence of `blocks` blocks.
BlockRule ruleOf(const plan::BlockLayout &layout, int64_t blocks);

/// The same of what a rank holds: its heads, queries and keys, each from 0 on.
/// Its queries may begin inside a block row, and its keys inside a block: both
/// rows and runs are cut to what there is. Runs leave out what causality or a
/// window hides from all queries of the row, no more: a key is visible if it is
/// in a run of the row, and to the query by AttentionArguments::keyBegin and
/// keyLimit.
class VisitedKeys {
public:
  VisitedKeys() = default;
  /// The offsets, heads, extents and limits are those of `arguments`.
  VisitedKeys(const AttentionArguments &arguments, const BlockRule &rule);

  struct Runs {
    const KeyRun *first, *last;
    const KeyRun *begin() const { return first; }
    const KeyRun *end() const { return last; }
    bool operator==(const Runs &other) const;
  };
  Runs runs(int64_t head, int64_t row) const {
    const int64_t *at = &starts[(isPerHead ? head * rowCount : 0) + row];
    return {lists.data() + at[0], lists.data() + at[1]};
  }
  int64_t rows() const { return rowCount; }
  int64_t rowOf(int64_t query) const { return (query + lead) / block; }
  /// Queries [begin, end) are those of a row.
  KeyRun queriesOf(int64_t row) const;

  int64_t block = 1;
  bool isPerHead = false; // else all heads have the lists of head 0

private:
  void addRow(const AttentionArguments &arguments, int64_t row,
              const std::vector<KeyRun> &whole);

  int64_t lead = 0; // queries of row 0 that other ranks hold
  int64_t rowCount = 0, queryCount = 0;
  std::vector<int64_t> starts; // in `lists`, by head and row
  std::vector<KeyRun> lists;
};

} // namespace hocket::runtime

#endif // HOCKET_CPU_VISITEDKEYS_H
