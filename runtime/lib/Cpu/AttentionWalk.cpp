//===- AttentionWalk.cpp - the visited keys of tiles of queries -----------===//

#include "runtime/lib/Cpu/AttentionWalk.h"
#include <algorithm>
#include <cstring>

namespace hocket::runtime {

// ---- the plan -------------------------------------------------------------

constexpr int64_t mostRows = 128;

/// Small blocks share a panel, and lie in it as they do in the sequence: none
/// of them is in two.
static int64_t panelKeys(int64_t block) {
  return block < 64 ? (64 + block - 1) / block * block : 64;
}

BlockPlan::BlockPlan(const AttentionArguments &arguments, int64_t columns)
    : columns(std::min(columns, arguments.k.shape[2])),
      panel(panelKeys(arguments.visited->block)),
      lead(arguments.keyOffset % panel), keyCount(arguments.k.shape[2]) {
  panels = panelOf(keyCount - 1) + 1;
  // Rows a power of two apart would share few cache sets.
  pitch = (this->columns + 15) / 16 * 16 + 16;
  int64_t heads = arguments.visited->isPerHead ? arguments.q.shape[1] : 1;
  starts.push_back(0);
  for (int64_t head = 0; head < heads; ++head)
    addTiles(*arguments.visited, head);
}

/// Block rows that visit the same keys are one tile, if they are not too many;
/// a block row of many queries is several.
void BlockPlan::addTiles(const VisitedKeys &visited, int64_t head) {
  int64_t work = 0;
  auto add = [&](const QueryTile &tile) {
    int64_t keys = 0;
    for (KeyRun run : visited.runs(head, tile.blockRow))
      keys += run.end - run.begin;
    tiles.push_back(tile);
    before.push_back(work);
    rows = std::max(rows, tile.rows);
    constexpr int64_t ofNothing = 32; // zeros are written, too
    work += tile.rows * (keys + ofNothing);
  };
  for (int64_t row = 0; row < visited.rows();) {
    auto [begin, end] = visited.queriesOf(row);
    int64_t next = row + 1;
    for (; next < visited.rows(); ++next) {
      int64_t further = visited.queriesOf(next).end;
      if (further - begin > mostRows ||
          !(visited.runs(head, next) == visited.runs(head, row)))
        break;
      end = further;
    }
    for (int64_t first = begin; first < end; first += mostRows)
      add({first, std::min(mostRows, end - first), row});
    row = next;
  }
  tiles.push_back({});
  before.push_back(work);
  starts.push_back(tiles.size());
}

KeyRun BlockPlan::keysOf(int64_t number) const {
  return {std::max<int64_t>(number * panel - lead, 0),
          std::min((number + 1) * panel - lead, keyCount)};
}

int64_t BlockPlan::tileAt(int64_t head, int64_t work) const {
  auto first = before.begin() + firstTile(head);
  return std::lower_bound(first, before.begin() + lastTile(head), work) - first;
}

// ---- panels ---------------------------------------------------------------

HeadPanels::HeadPanels(const Operand &from, const BlockPlan &plan, Order order)
    : from(from), plan(plan), order(order),
      isCopied(order == Transposed || from.strides[3] != 1),
      size(from.shape[3]), place(order == Transposed ? plan.panel
                                 : isCopied          ? size
                                                     : from.strides[2]) {
  if (!isCopied)
    return;
  int64_t last = plan.panels - 1;
  for (int64_t i = 0; i < 3; ++i) {
    KeyRun keys = plan.keysOf(i < 2 ? std::min(i, last) : last);
    copies[i] = StridedCopy(
        {keys.end - keys.begin, size}, {from.strides[2], from.strides[3]},
        order == Transposed ? std::vector<int64_t>{1, plan.panel}
                            : std::vector<int64_t>{size, 1},
        sizeof(float));
  }
}

void HeadPanels::setScratch(ScratchPieces &pieces) {
  panels = pieces.takeFloats(isCopied ? plan.panels * plan.panel * size : 0);
  isReady = pieces.take(isCopied ? plan.panels : 0);
}

void HeadPanels::setHead(int64_t batch, int64_t number) {
  b = batch;
  head = number;
  if (isCopied)
    std::memset(isReady, 0, plan.panels);
}

const float *HeadPanels::at(int64_t key) {
  if (!isCopied)
    return rowOf(from, b, head, key);
  int64_t number = plan.panelOf(key), first = number * plan.panel - plan.lead;
  float *panel = panels + number * plan.panel * size;
  int64_t step = order == Transposed ? 1 : size;
  if (!isReady[number]) {
    KeyRun keys = plan.keysOf(number);
    float *to = panel + (keys.begin - first) * step;
    const float *begin = rowOf(from, b, head, keys.begin);
    if (order == Transposed && from.strides[3] == 1)
      vectorFunctions().transpose({to, plan.panel, begin, from.strides[2],
                                   keys.end - keys.begin, size});
    else
      copies[number == 0 ? 0 : number < plan.panels - 1 ? 1 : 2].run(to, begin);
    isReady[number] = 1;
  }
  return panel + (key - first) * step;
}

void loadRows(const Operand &from, int64_t b, int64_t h, const QueryTile &tile,
              float *to) {
  int64_t size = from.shape[3], step = from.strides[3];
  for (int64_t r = 0; r < tile.rows; ++r, to += size) {
    const float *row = rowOf(from, b, h, tile.row + r);
    if (step == 1)
      std::memcpy(to, row, size * sizeof(float));
    else
      for (int64_t d = 0; d < size; ++d)
        to[d] = row[d * step];
  }
}

void storeRows(const Operand &to, int64_t b, int64_t h, const QueryTile &tile,
               const float *from) {
  int64_t size = to.shape[3], step = to.strides[3];
  for (int64_t r = 0; r < tile.rows; ++r, from += size) {
    float *row = rowOf(to, b, h, tile.row + r);
    if (step == 1)
      std::memcpy(row, from, size * sizeof(float));
    else
      for (int64_t d = 0; d < size; ++d)
        row[d * step] = from[d];
  }
}

// ---- the walk -------------------------------------------------------------

KeyWalk::KeyWalk(const AttentionArguments &arguments, const BlockPlan &plan)
    : given(arguments), plan(plan), functions(vectorFunctions()),
      list(plan.columns), ranges(plan.rows) {}

void KeyWalk::setScratch(ScratchPieces &pieces) {
  keep = pieces.takeFloats(given.keep ? given.k.shape[2] : 0);
  keepOfTile = pieces.takeFloats(given.keep ? plan.columns : 0);
}

void KeyWalk::setBatch(int64_t batch) {
  b = batch;
  if (given.keep)
    fillMask(given, b, given.k.shape[2], keep);
}

void KeyWalk::begin(int64_t number, const QueryTile &first) {
  head = number;
  tile = first;
  VisitedKeys::Runs runs = given.visited->runs(head, tile.blockRow);
  run = runs.begin();
  last = runs.end();
  key = run == last ? 0 : run->begin;
  count = 0;
}

bool KeyWalk::next() {
  isFirst = count == 0;
  count = columns = 0;
  while (run != last && columns < plan.columns) {
    int64_t end = plan.keysOf(plan.panelOf(key)).end;
    end = std::min({end, run->end, key + plan.columns - columns});
    list[count++] = {key, end - key, columns};
    columns += end - key;
    key = end;
    if (key == run->end && ++run != last)
      key = run->begin;
  }
  return count > 0;
}

const ColumnRange *KeyWalk::visible() {
  return visibleColumns(given, tile.row, tile.rows, pieces(), ranges.data());
}

const float *KeyWalk::mask() {
  if (!given.keep)
    return nullptr;
  for (const KeyPiece &piece : pieces())
    std::copy_n(keep + piece.key, piece.count, keepOfTile + piece.column);
  return keepOfTile;
}

void KeyWalk::drop(float *weights) const {
  if (!given.dropout.isLive())
    return;
  for (int64_t r = 0; r < tile.rows; ++r)
    for (const KeyPiece &piece : pieces())
      given.dropout.drop(functions, given.q.shape, {b, head, tile.row + r},
                         piece.key + given.keyOffset, piece.count,
                         weights + r * plan.pitch + piece.column);
}

} // namespace hocket::runtime
