//===- AttentionWalk.cpp - the visited keys of tiles of queries -----------===//

#include "runtime/lib/Cpu/AttentionWalk.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace hocket::runtime {

// ---- the plan -------------------------------------------------------------

constexpr int64_t mostRows = 128; // of a tile of a layout
/// Of a group without a layout: queries, results and a chunk of keys and values
/// stay in the second-level cache.
constexpr int64_t denseGroup = 512;

/// Of panels that are kept: a window and what else is often visited, in a part
/// of the second-level cache.
constexpr int64_t fewPanels = 8;
/// Visits of a panel by tiles, on average, with which it is not copied anew.
constexpr int64_t manyVisits = 16;

/// Small blocks share a panel, and lie in it as they do in the sequence: none
/// of them is in two.
static int64_t panelKeys(int64_t block) {
  return block < 64 ? (64 + block - 1) / block * block : 64;
}

BlockPlan::BlockPlan(const AttentionArguments &arguments, int64_t columns,
                     int64_t denseRows)
    : columns(std::min(columns, arguments.k.shape[2])),
      groupTiles(arguments.visited ? 1 : denseGroup / denseRows),
      chunk(arguments.visited ? arguments.k.shape[2] : columns),
      panel(arguments.visited ? panelKeys(arguments.visited->block) : 64),
      lead(arguments.visited ? arguments.keyOffset % panel : 0),
      keyCount(arguments.k.shape[2]), denseRows(denseRows) {
  panels = panelOf(keyCount - 1) + 1;
  // Rows a power of two apart would share few cache sets.
  pitch = (this->columns + 15) / 16 * 16 + 16;
  starts.push_back(0);
  if (!arguments.visited)
    addTiles(arguments);
  else
    for (int64_t head = 0;
         head < (arguments.visited->isPerHead ? arguments.q.shape[1] : 1);
         ++head)
      addTiles(*arguments.visited, head);
  groupRows = groupTiles * rows;
  bool isVisitedOften =
      visits > manyVisits * panels * int64_t(starts.size() - 1);
  kept = isVisitedOften ? panels : std::min(panels, fewPanels);
}

void BlockPlan::addTile(const QueryTile &tile, int64_t keys) {
  constexpr int64_t ofNothing = 32; // zeros are written, too
  tiles.push_back(tile);
  before.push_back(headWork);
  rows = std::max(rows, tile.rows);
  headWork += tile.rows * (keys + ofNothing);
  visits += (keys + panel - 1) / panel;
}

void BlockPlan::endHead() {
  tiles.push_back({});
  before.push_back(headWork);
  starts.push_back(tiles.size());
  headWork = 0;
}

void BlockPlan::addTiles(const AttentionArguments &arguments) {
  int64_t queries = arguments.q.shape[2];
  for (int64_t row = 0; row < queries; row += denseRows) {
    int64_t count = std::min(denseRows, queries - row);
    KeyRun keys = keysOf({row, count, 0}, arguments);
    addTile({row, count, 0}, keys.end - keys.begin);
  }
  endHead();
}

/// Block rows that visit the same keys are one tile, if they are not too many;
/// a block row of many queries is several.
void BlockPlan::addTiles(const VisitedKeys &visited, int64_t head) {
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
    int64_t keys = 0;
    for (KeyRun run : visited.runs(head, row))
      keys += run.end - run.begin;
    for (int64_t first = begin; first < end; first += mostRows)
      addTile({first, std::min(mostRows, end - first), row}, keys);
    row = next;
  }
  endHead();
}

KeyRun BlockPlan::keysOf(int64_t number) const {
  return {std::max<int64_t>(number * panel - lead, 0),
          std::min((number + 1) * panel - lead, keyCount)};
}

KeyRun BlockPlan::keysOf(const QueryTile &tile,
                         const AttentionArguments &arguments) const {
  int64_t begin = arguments.keyBegin(tile.row);
  int64_t limit = arguments.keyLimit(tile.row + tile.rows - 1);
  if (begin >= limit)
    return {0, 0};
  return {keysOf(panelOf(begin)).begin, keysOf(panelOf(limit - 1)).end};
}

int64_t BlockPlan::tileAt(int64_t head, int64_t work) const {
  auto first = before.begin() + firstTile(head);
  return std::lower_bound(first, before.begin() + lastTile(head), work) - first;
}

// ---- panels ---------------------------------------------------------------

HeadPanels::HeadPanels(const Operand &from, const BlockPlan &plan, Order order)
    : from(from), plan(plan), order(order),
      isCopied(order == Transposed || from.strides[3] != 1 ||
               (plan.groupTiles > 1 && from.strides[2] != from.shape[3])),
      size(from.shape[3]), place(order == Transposed ? plan.panel
                                 : isCopied          ? size
                                                     : from.strides[2]),
      slots(!isCopied             ? 0
            : order == Transposed ? plan.kept
                                  : plan.panels) {
  if (!isCopied)
    return;
  asked.resize(slots);
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
  panels = pieces.takeFloats(slots * plan.panel * size);
  held = reinterpret_cast<int64_t *>(pieces.take(slots * sizeof(int64_t)));
}

void HeadPanels::setHead(int64_t batch, int64_t number) {
  b = batch;
  head = number;
  std::fill_n(held, slots, -1);
  std::fill(asked.begin(), asked.end(), -1);
}

const float *HeadPanels::at(int64_t key) {
  if (!isCopied)
    return rowOf(from, b, head, key);
  int64_t number = plan.panelOf(key), first = number * plan.panel - plan.lead;
  int64_t slot = number % slots;
  float *panel = panels + slot * plan.panel * size;
  int64_t step = order == Transposed ? 1 : size;
  if (held[slot] != number) {
    KeyRun keys = plan.keysOf(number);
    float *to = panel + (keys.begin - first) * step;
    const float *begin = rowOf(from, b, head, keys.begin);
    if (order == Transposed && from.strides[3] == 1)
      vectorFunctions().transpose({to, plan.panel, begin, from.strides[2],
                                   keys.end - keys.begin, size});
    else if (from.strides[3] == 1)
      for (int64_t i = 0; i < keys.end - keys.begin; ++i)
        std::memcpy(to + i * size, begin + i * from.strides[2],
                    size * sizeof(float));
    else
      copies[number == 0 ? 0 : number < plan.panels - 1 ? 1 : 2].run(to, begin);
    held[slot] = number;
    asked[slot] = -1;
  }
  return panel + (key - first) * step;
}

bool HeadPanels::ask(int64_t key) {
  int64_t number = plan.panelOf(key);
  if (!isCopied || held[number % slots] == number ||
      asked[number % slots] == number)
    return false;
  asked[number % slots] = number;
  return true;
}

RowsAhead HeadPanels::rowsOf(int64_t key) const {
  if (from.strides[3] != 1)
    return {};
  auto [begin, end] = plan.keysOf(plan.panelOf(key));
  return {rowOf(from, b, head, begin), from.strides[2], end - begin, size};
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
  for (int64_t r = 0; r < tile.rows; ++r, from += from ? size : 0) {
    float *row = rowOf(to, b, h, tile.row + r);
    if (step == 1 && from)
      std::memcpy(row, from, size * sizeof(float));
    else
      for (int64_t d = 0; d < size; ++d)
        row[d * step] = from ? from[d] : 0.0f;
  }
}

// ---- the walk -------------------------------------------------------------

KeyWalk::KeyWalk(const AttentionArguments &arguments, const BlockPlan &plan)
    : given(arguments), plan(plan), functions(vectorFunctions()),
      documents(arguments), cursors(plan.groupTiles), list(plan.columns),
      ranges(plan.rows), turned(plan.panel) {
  if (given.bias)
    bias = given.byScores(*given.bias);
}

void KeyWalk::setScratch(ScratchPieces &pieces) {
  keep = pieces.takeFloats(given.keep ? given.k.shape[2] : 0);
  keepOfTile = pieces.takeFloats(given.keep ? plan.columns : 0);
  addedToTile = pieces.takeFloats(
      given.documents || given.bias ? plan.rows * plan.pitch : 0);
  documents.setScratch(pieces);
}

void KeyWalk::setBatch(int64_t batch) {
  b = batch;
  if (given.keep)
    fillMask(given, b, given.k.shape[2], keep);
  documents.setBatch(b);
}

void KeyWalk::begin(int64_t number, int64_t begin, int64_t end) {
  head = number;
  at = cursors.data();
  for (int64_t tile = begin; tile < end; ++tile)
    beginTile(plan.tile(head, tile), *at++);
  stop = at; // where the next chunk begins
}

void KeyWalk::beginTile(const QueryTile &tile, Cursor &cursor) const {
  cursor = {tile, {}, nullptr, nullptr, 0, 0};
  if (given.visited) {
    VisitedKeys::Runs runs = given.visited->runs(head, tile.blockRow);
    cursor.run = runs.begin(), cursor.last = runs.end();
  } else {
    cursor.whole = plan.keysOf(tile, given);
    cursor.run = &cursor.whole;
    cursor.last = cursor.run + (cursor.whole.begin < cursor.whole.end);
  }
  cursor.key = cursor.run == cursor.last ? 0 : cursor.run->begin;
}

/// Goes to the first keys that a tile has not met; false: there are none.
bool KeyWalk::nextChunk() {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const Cursor *one = cursors.data(); one != stop; ++one)
    if (one->run != one->last)
      first = std::min(first, one->key);
  chunkEnd = first / plan.chunk * plan.chunk + plan.chunk;
  at = cursors.data();
  return first < std::numeric_limits<int64_t>::max();
}

bool KeyWalk::next() {
  if (at != stop)
    ++at;
  for (;; ++at) {
    if (at == stop && !nextChunk())
      return false;
    if (at->run == at->last || at->key >= chunkEnd)
      continue;
    takePieces();
    if (count > 0) // not all are of other documents
      return true;
  }
}

/// Of the tile's keys in the chunk, as many as a tile of scores has columns.
void KeyWalk::takePieces() {
  count = columns = 0;
  while (at->run != at->last && at->key < chunkEnd && columns < plan.columns) {
    int64_t key = at->key, last = plan.keysOf(plan.panelOf(key)).end;
    last = std::min({last, at->run->end, key + plan.columns - columns});
    KeyPiece piece{key, last - key, columns};
    if (documents.meet(met(piece))) {
      list[count++] = piece;
      columns += piece.count;
    }
    at->key = last;
    if (last == at->run->end && ++at->run != at->last)
      at->key = at->run->begin;
  }
  at->met += count;
}

const ColumnRange *KeyWalk::visible(KeyPieces pieces) {
  return visibleColumns(given, tile().row, tile().rows, pieces, ranges.data());
}

const ColumnRange *KeyWalk::seeing(const KeyPiece &piece) {
  const ColumnRange *seen = visible(piece);
  if (!seen)
    return nullptr;
  turnRanges(seen, tile().rows, turned.data(), piece.count);
  return turned.data();
}

bool KeyWalk::isChanged() const {
  for (const KeyPiece &piece : pieces())
    if (given.keep || given.bias || !documents.areOne(met(piece)))
      return true;
  return false;
}

const float *KeyWalk::mask() {
  if (!given.keep)
    return nullptr;
  for (const KeyPiece &piece : pieces())
    std::copy_n(keep + piece.key, piece.count, keepOfTile + piece.column);
  return keepOfTile;
}

bool KeyWalk::isOneRun() const {
  return list[count - 1].key - list[0].key == list[count - 1].column;
}

KeyWalk::Added KeyWalk::added() {
  bool hides = false;
  for (const KeyPiece &piece : pieces())
    hides |= !documents.areOne(met(piece));
  if (!hides && !bias)
    return {nullptr, 0};
  if (!hides && bias->strides[3] == 1 && isOneRun())
    return {rowOf(*bias, b, head, tile().row) + list[0].key, bias->strides[2]};
  for (const KeyPiece &piece : pieces()) {
    float *to = addedToTile + piece.column;
    for (int64_t r = 0; r < tile().rows; ++r) {
      const float *from =
          bias ? rowOf(*bias, b, head, tile().row + r) : nullptr;
      for (int64_t j = 0; j < piece.count; ++j)
        to[r * plan.pitch + j] =
            from ? from[(piece.key + j) * bias->strides[3]] : 0.0f;
    }
    documents.hide(met(piece), to, plan.pitch);
  }
  return {addedToTile, plan.pitch};
}

void KeyWalk::addTo(const Operand &to, const float *scores) const {
  int64_t step = to.strides[3];
  for (int64_t r = 0; r < tile().rows; ++r)
    for (const KeyPiece &piece : pieces()) {
      float *sums = rowOf(to, b, head, tile().row + r) + piece.key * step;
      const float *terms = scores + r * plan.pitch + piece.column;
      for (int64_t j = 0; j < piece.count; ++j)
        sums[j * step] += terms[j];
    }
}

void KeyWalk::drop(float *weights) const {
  if (!given.dropout.isLive())
    return;
  for (int64_t r = 0; r < tile().rows; ++r)
    for (const KeyPiece &piece : pieces())
      given.dropout.drop(functions, given.q.shape, {b, head, tile().row + r},
                         piece.key + given.keyOffset, piece.count,
                         weights + r * plan.pitch + piece.column);
}

} // namespace hocket::runtime
