//===- TileLists.cpp - the tiles that kernels of attention meet -----------===//

#include "runtime/lib/Cuda/Attention/TileLists.h"
#include <limits>
#include <map>
#include <numeric>

namespace hocket::runtime::cuda {

namespace {

using Words = std::vector<uint32_t>;

/// Queries [begin, end) of a tile that are in one block row, or all, the runs
/// that this visits, and the keys that causality and a window leave to some of
/// them.
struct Part {
  int64_t begin, end;
  VisitedKeys::Runs runs; // of a layout
  KeyRun range;

  KeyRun cut(KeyRun run) const {
    return {std::max(run.begin, range.begin), std::min(run.end, range.end)};
  }
  /// Whether one of keys [begin, end) is visited, or none of them is left.
  bool sees(int64_t begin, int64_t end) const {
    KeyRun left = cut({begin, end});
    if (left.begin >= left.end)
      return true;
    for (KeyRun run : runs)
      if (run.begin < left.end && left.begin < run.end)
        return true;
    return false;
  }
};

/// Sets bits [begin, end) of a row of a mask.
void setBits(uint32_t *row, int64_t begin, int64_t end) {
  while (begin < end) {
    int64_t first = begin % 32, count = std::min(end - begin, 32 - first);
    row[begin / 32] |= (~uint32_t(0) >> (32 - count)) << first;
    begin += count;
  }
}

class Lister {
public:
  Lister(const AttentionArguments &given, TileShape shape, TileLists &lists)
      : given(given), visited(given.visited ? &*given.visited : nullptr),
        shape(shape), pitch((shape.columns + 31) / 32), lists(lists) {
    lists.isPerHead = visited && visited->isPerHead;
    lists.block = visited ? static_cast<uint32_t>(visited->block) : 1;
  }

  Status ofQueries();
  Status ofKeys();

private:
  int64_t queries() const { return given.q.shape[2]; }
  int64_t keys() const { return given.k.shape[2]; }
  std::vector<Part> partsOf(int64_t head, int64_t begin, int64_t end) const;
  /// Tiles of `size` keys that parts visit.
  std::vector<char> visitedTiles(const std::vector<Part> &parts,
                                 int size) const;
  Words maskOfQueries(const std::vector<Part> &parts, int64_t tile) const;
  Words maskOfKeys(const std::vector<Part> &parts, int64_t tile,
                   int64_t firstQuery) const;
  int32_t keep(const Words &mask);
  void listKeys(int64_t head, std::vector<std::vector<ListedTile>> &byTile);
  Status end() const;

  const AttentionArguments &given;
  const VisitedKeys *const visited; // null: no layout
  const TileShape shape;
  const int64_t pitch; // words of a row of a mask
  TileLists &lists;
  std::map<Words, int32_t> places; // of masks
};

} // namespace

std::vector<Part> Lister::partsOf(int64_t head, int64_t begin,
                                  int64_t end) const {
  std::vector<Part> parts;
  if (!visited)
    return {{begin,
             end,
             {nullptr, nullptr},
             {given.keyBegin(begin), given.keyLimit(end - 1)}}};
  for (int64_t row = visited->rowOf(begin); begin < end; ++row) {
    int64_t next = std::min(visited->queriesOf(row).end, end);
    parts.push_back({begin,
                     next,
                     visited->runs(head, row),
                     {given.keyBegin(begin), given.keyLimit(next - 1)}});
    begin = next;
  }
  return parts;
}

std::vector<char> Lister::visitedTiles(const std::vector<Part> &parts,
                                       int size) const {
  std::vector<char> areMet(tilesOf(keys(), size));
  auto meet = [&](KeyRun keys) {
    if (keys.begin < keys.end)
      std::fill(areMet.begin() + keys.begin / size,
                areMet.begin() + (keys.end + size - 1) / size, 1);
  };
  for (const Part &part : parts) {
    if (!visited)
      meet(part.range);
    for (KeyRun run : part.runs)
      meet(part.cut(run));
  }
  return areMet;
}

/// Bits are keys.
Words Lister::maskOfQueries(const std::vector<Part> &parts,
                            int64_t tile) const {
  Words mask(parts.size() * pitch);
  int64_t first = tile * shape.columns, end = first + shape.columns;
  uint32_t *row = mask.data();
  for (const Part &part : parts) {
    auto set = [&](int64_t begin, int64_t limit) {
      setBits(row, std::max(begin, first) - first,
              std::min(limit, end) - first);
    };
    set(first, part.range.begin);
    set(part.range.end, end);
    for (KeyRun run : part.runs)
      set(run.begin, run.end);
    row += pitch;
  }
  return mask;
}

/// Bits are queries.
Words Lister::maskOfKeys(const std::vector<Part> &parts, int64_t tile,
                         int64_t firstQuery) const {
  Words mask;
  int64_t first = tile * shape.rows;
  int64_t end = std::min<int64_t>(first + shape.rows, keys());
  for (int64_t block = (first + lists.lead) / lists.block; first < end;
       ++block) {
    int64_t limit = (block + 1) * lists.block - lists.lead;
    int64_t next = std::min(limit, end);
    mask.resize(mask.size() + pitch);
    uint32_t *row = mask.data() + mask.size() - pitch;
    for (const Part &part : parts)
      if (part.sees(first, next))
        setBits(row, part.begin - firstQuery, part.end - firstQuery);
    setBits(row, parts.back().end - firstQuery, shape.columns);
    first = next;
  }
  return mask;
}

/// Its place, unless it hides nothing.
int32_t Lister::keep(const Words &mask) {
  Words whole(pitch);
  setBits(whole.data(), 0, shape.columns);
  bool hides = false;
  for (size_t i = 0; i < mask.size(); ++i)
    hides |= mask[i] != whole[i % pitch];
  if (!hides)
    return -1;
  auto [place, isNew] =
      places.try_emplace(mask, static_cast<int32_t>(lists.masks.size()));
  if (isNew)
    lists.masks.insert(lists.masks.end(), mask.begin(), mask.end());
  return place->second;
}

Status Lister::ofQueries() {
  lists.rowTiles = tilesOf(queries(), shape.rows);
  if (visited)
    lists.lead = static_cast<uint32_t>(given.queryOffset % visited->block);
  int64_t heads = lists.isPerHead ? given.q.shape[1] : 1;
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t first = 0; first < queries(); first += shape.rows) {
      std::vector<Part> parts =
          partsOf(head, first, std::min(first + shape.rows, queries()));
      std::vector<char> areMet = visitedTiles(parts, shape.columns);
      for (size_t tile = 0; tile < areMet.size(); ++tile)
        if (areMet[tile])
          lists.tiles.push_back(
              {static_cast<int32_t>(tile),
               visited ? keep(maskOfQueries(parts, tile)) : -1, 0, 0});
      lists.starts.push_back(static_cast<int64_t>(lists.tiles.size()));
    }
  return end();
}

void Lister::listKeys(int64_t head,
                      std::vector<std::vector<ListedTile>> &byTile) {
  for (int64_t first = 0; first < queries(); first += shape.columns) {
    std::vector<Part> parts =
        partsOf(head, first, std::min(first + shape.columns, queries()));
    std::vector<char> areMet = visitedTiles(parts, shape.rows);
    for (size_t tile = 0; tile < areMet.size(); ++tile)
      if (areMet[tile])
        byTile[tile].push_back(
            {static_cast<int32_t>(first / shape.columns),
             visited ? keep(maskOfKeys(parts, tile, first)) : -1,
             static_cast<int32_t>(head), 0});
  }
}

Status Lister::ofKeys() {
  lists.rowTiles = tilesOf(keys(), shape.rows);
  if (visited)
    lists.lead = static_cast<uint32_t>(given.keyOffset % visited->block);
  int64_t kvHeads = lists.isPerHead ? given.k.shape[1] : 1;
  for (int64_t kvHead = 0; kvHead < kvHeads; ++kvHead) {
    std::vector<std::vector<ListedTile>> byTile(lists.rowTiles);
    int64_t heads = lists.isPerHead ? given.q.shape[1] : 1;
    for (int64_t head = 0; head < heads; ++head)
      if (!lists.isPerHead || given.kvHead(head) == kvHead)
        listKeys(head, byTile);
    for (const std::vector<ListedTile> &list : byTile) {
      lists.tiles.insert(lists.tiles.end(), list.begin(), list.end());
      lists.starts.push_back(static_cast<int64_t>(lists.tiles.size()));
    }
  }
  return end();
}

Status Lister::end() const {
  if (lists.masks.size() <= size_t(std::numeric_limits<int32_t>::max()))
    return Status::success();
  return Status::runtimeError("attention whose layout has " +
                              std::to_string(lists.masks.size() / pitch) +
                              " different rows of masks is more than CUDA "
                              "kernels count");
}

std::vector<uint32_t> TileLists::order() const {
  std::vector<int64_t> met(rowTiles);
  for (size_t list = 0; list + 1 < starts.size(); ++list)
    met[list % rowTiles] += starts[list + 1] - starts[list];
  std::vector<uint32_t> order(rowTiles);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return met[a] != met[b] ? met[a] > met[b] : a < b;
  });
  return order;
}

Status listTilesOfQueries(const AttentionArguments &given, TileShape shape,
                          TileLists &lists) {
  return Lister(given, shape, lists).ofQueries();
}

Status listTilesOfKeys(const AttentionArguments &given, TileShape shape,
                       TileLists &lists) {
  return Lister(given, shape, lists).ofKeys();
}

} // namespace hocket::runtime::cuda
