//===- BlockLayout.cpp - the blocks that a layout's rows visit ------------===//

#include "hocket/Plan/BlockLayout.h"
#include "hocket/Random/Philox.h"
#include <algorithm>

namespace hocket::plan {

const char *toString(LayoutKind kind) {
  constexpr const char *names[] = {"dense",        "fixed",
                                   "variable",     "bigbird",
                                   "bslongformer", "local_sliding_window",
                                   "layout"};
  return names[size_t(kind)];
}

bool BlockLayout::operator==(const BlockLayout &other) const {
  return kind == other.kind && block == other.block &&
         perHead == other.perHead && unidirectional == other.unidirectional &&
         local == other.local && global == other.global &&
         horizontal == other.horizontal && patterns == other.patterns &&
         random == other.random && window == other.window &&
         locals == other.locals && globals == other.globals &&
         globalEnds == other.globalEnds && key == other.key &&
         rows == other.rows;
}

namespace {

/// One row of a layout: runs are added in any order and may overlap.
class Row {
public:
  Row(const BlockLayout &layout, int64_t blocks, int64_t head, int64_t row)
      : layout(layout), blocks(blocks), head(head), row(row) {}

  std::vector<BlockRun> take() {
    std::sort(runs.begin(), runs.end(),
              [](BlockRun a, BlockRun b) { return a.begin < b.begin; });
    std::vector<BlockRun> merged;
    for (BlockRun run : runs)
      if (!merged.empty() && run.begin <= merged.back().end)
        merged.back().end = std::max(merged.back().end, run.end);
      else
        merged.push_back(run);
    return merged;
  }

  void addFixed();
  void addVariable();
  void addBigBird();
  void addLongformer();
  void addWindow();
  void addListed();

  void add(int64_t begin, int64_t end) {
    begin = std::max<int64_t>(begin, 0);
    end = std::min(end, limit);
    if (begin < end)
      runs.push_back({begin, end});
  }

private:
  /// The local part [begin, begin + size) that has this row.
  void addLocal(int64_t begin, int64_t size) {
    add(begin, layout.unidirectional ? row + 1 : begin + size);
  }
  /// The global part [begin, end): columns, from its first row on if
  /// unidirectional, and, where horizontal, rows.
  void addGlobal(int64_t begin, int64_t end) {
    if (!layout.unidirectional || row >= begin)
      add(begin, end);
    if (layout.horizontal && row >= begin && row < end)
      add(0, blocks);
  }
  /// Calls `each` with every global range that begins inside the sequence.
  template <class Each> void forEachGlobal(Each each) {
    for (size_t i = 0; i < layout.globals.size(); ++i) {
      int64_t begin = layout.globals[i];
      int64_t end =
          layout.globalEnds.empty() ? begin + 1 : layout.globalEnds[i];
      if (begin < blocks)
        each(begin, std::min(end, blocks));
    }
  }
  void addRandom();
  /// Nothing after the row is visited from here on, nor of what was added.
  void keepLowerTriangle() {
    limit = row + 1;
    std::vector<BlockRun> all = std::move(runs);
    runs.clear();
    for (BlockRun run : all)
      add(run.begin, run.end);
  }

  const BlockLayout &layout;
  const int64_t blocks, head, row;
  int64_t limit = blocks;
  std::vector<BlockRun> runs;
};

} // namespace

void Row::addFixed() {
  int64_t size = layout.local, global = layout.global;
  addLocal(row / size * size, size);
  int64_t first = size - (1 + head % layout.patterns) * global;
  int64_t end = blocks - blocks % size;
  for (int64_t begin = first; begin < end; begin += size)
    addGlobal(begin, begin + global);
  if (end < blocks) {
    int64_t begin = std::min(end + first, blocks - global);
    addGlobal(begin, begin + global);
  }
}

void Row::addVariable() {
  addRandom();
  int64_t begin = 0;
  size_t part = 0;
  while (part + 1 < layout.locals.size() && begin + layout.locals[part] <= row)
    begin += layout.locals[part++];
  int64_t size = layout.locals[part];
  addLocal(begin + (row - begin) / size * size, size);
  forEachGlobal([&](int64_t begin, int64_t end) { addGlobal(begin, end); });
}

void Row::addBigBird() {
  addRandom();
  addWindow();
  add(0, row < layout.global ? blocks : layout.global);
  if (layout.unidirectional)
    keepLowerTriangle();
}

void Row::addLongformer() {
  addWindow();
  forEachGlobal([&](int64_t begin, int64_t end) {
    add(begin, end);
    if (row >= begin && row < end)
      add(0, blocks);
  });
  if (layout.unidirectional)
    keepLowerTriangle();
}

void Row::addWindow() {
  int64_t reach = layout.window / 2;
  add(row - reach, row + 1 + (layout.unidirectional ? 0 : reach));
}

/// As many distinct columns as the rule says, or all candidates where they are
/// fewer, each set equally likely (Floyd's way: Bentley, 1987).
void Row::addRandom() {
  int64_t candidates = layout.unidirectional ? row + 1 : blocks;
  int64_t count = std::min(layout.random, candidates);
  uint64_t key = uint64_t(layout.key);
  std::vector<int64_t> drawn;
  for (int64_t last = candidates - count; last < candidates; ++last) {
    runtime::PhiloxBlock words = runtime::philox4x32(
        {uint32_t(drawn.size()), uint32_t(row), uint32_t(head),
         uint32_t(runtime::Purpose::Layout)},
        {uint32_t(key), uint32_t(key >> 32)});
    // A column of [0, last], from 32 bits; `blocks` is far below 2^32.
    int64_t column = int64_t(uint64_t(words[0]) * uint64_t(last + 1) >> 32);
    if (std::find(drawn.begin(), drawn.end(), column) != drawn.end())
      column = last;
    drawn.push_back(column);
    add(column, column + 1);
  }
}

void Row::addListed() {
  const std::vector<int64_t> &list = layout.rows[head * blocks + row];
  for (size_t i = 0; i < list.size(); i += 2)
    add(list[i], list[i + 1]);
}

std::vector<BlockRun> visitedBlocks(const BlockLayout &layout, int64_t blocks,
                                    int64_t head, int64_t row) {
  Row result(layout, blocks, layout.perHead ? head : 0, row);
  switch (layout.kind) {
  case LayoutKind::Dense:
    result.add(0, blocks);
    break;
  case LayoutKind::Fixed:
    result.addFixed();
    break;
  case LayoutKind::Variable:
    result.addVariable();
    break;
  case LayoutKind::BigBird:
    result.addBigBird();
    break;
  case LayoutKind::BSLongformer:
    result.addLongformer();
    break;
  case LayoutKind::LocalSlidingWindow:
    result.addWindow();
    break;
  case LayoutKind::Listed:
    result.addListed();
    break;
  }
  return result.take();
}

uint64_t layoutDigest(const BlockLayout &layout, int64_t blocks,
                      int64_t heads) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a of words, as of bytes
  auto mix = [&](int64_t word) {
    hash = (hash ^ uint64_t(word)) * 0x100000001b3;
    hash ^= hash >> 32;
  };
  for (int64_t word : {layout.block, blocks, heads})
    mix(word);
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t row = 0; row < blocks; ++row) {
      for (BlockRun run : visitedBlocks(layout, blocks, head, row)) {
        mix(run.begin);
        mix(run.end);
      }
      mix(-1);
    }
  return hash;
}

} // namespace hocket::plan
