//===- AttentionDocuments.cpp - tiles of queries and keys of documents ----===//

#include "runtime/lib/Cpu/AttentionDocuments.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime {

constexpr int64_t granule = 32;

static int64_t granulesOf(int64_t count) {
  return (count + granule - 1) / granule;
}

DocumentTiles::DocumentTiles(const AttentionArguments &arguments) {
  if (!arguments.documents)
    return;
  queries.ids = &arguments.documents->queries;
  keys.ids = &arguments.documents->keys;
  for (Side *side : {&queries, &keys})
    side->count = side->ids->shape[1];
}

void DocumentTiles::Side::setScratch(ScratchPieces &pieces) {
  numbers = reinterpret_cast<int64_t *>(pieces.take(count * sizeof(int64_t)));
  ranges =
      reinterpret_cast<Range *>(pieces.take(granulesOf(count) * sizeof(Range)));
}

void DocumentTiles::setScratch(ScratchPieces &pieces) {
  for (Side *side : {&queries, &keys})
    side->setScratch(pieces);
}

void DocumentTiles::Side::read(int64_t b) {
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = Documents::numberOf(*ids, b, i);
  for (int64_t i = 0; i < count; i += granule) {
    auto [least, most] = std::minmax_element(
        numbers + i, numbers + std::min(i + granule, count));
    ranges[i / granule] = {*least, *most};
  }
}

void DocumentTiles::setBatch(int64_t b) {
  for (Side *side : {&queries, &keys})
    if (side->ids)
      side->read(b);
}

bool DocumentTiles::meet(const DocumentTile &tile) const {
  if (!keys.ids)
    return true;
  for (int64_t q = tile.row / granule; q * granule < tile.row + tile.rows; ++q)
    for (int64_t k = tile.key / granule; k * granule < tile.key + tile.count;
         ++k)
      if (queries.ranges[q].least <= keys.ranges[k].most &&
          keys.ranges[k].least <= queries.ranges[q].most)
        return true;
  return false;
}

bool DocumentTiles::areOne(const DocumentTile &tile) const {
  if (!keys.ids)
    return true;
  int64_t number = queries.numbers[tile.row];
  auto haveAll = [&](const Side &side, int64_t first, int64_t count) {
    for (int64_t g = first / granule; g * granule < first + count; ++g)
      if (side.ranges[g].least != number || side.ranges[g].most != number)
        return false;
    return true;
  };
  return haveAll(queries, tile.row, tile.rows) &&
         haveAll(keys, tile.key, tile.count);
}

void DocumentTiles::hide(const DocumentTile &tile, float *added,
                         int64_t pitch) const {
  if (areOne(tile))
    return;
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const int64_t *own = keys.numbers + tile.key;
  for (int64_t r = 0; r < tile.rows; ++r, added += pitch) {
    int64_t number = queries.numbers[tile.row + r];
    for (int64_t j = 0; j < tile.count; ++j)
      added[j] = own[j] == number ? added[j] : lowest;
  }
}

} // namespace hocket::runtime
