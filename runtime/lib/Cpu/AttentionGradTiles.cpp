//===- AttentionGradTiles.cpp - products of a gradient's blocks -----------===//

#include "runtime/lib/Cpu/AttentionGradTiles.h"
#include <algorithm>

namespace hocket::runtime {

bool GradPlan::make(const AttentionGradArguments &arguments) {
  const AttentionArguments &forward = arguments.forward;
  queryCount = forward.q.shape[2];
  keyCount = forward.k.shape[2];
  depth = forward.q.shape[3];
  width = forward.v.shape[3];
  // Two tiles stay in the second-level cache.
  queryTile = std::min<int64_t>(queryCount, 128);
  // Causality and windows skip whole tiles, so small ones skip more.
  bool skips = forward.isLimited() || forward.before >= 0;
  keyTile = std::min<int64_t>(keyCount, skips ? 128 : 256);
  // Rows a power of two apart would share few cache sets.
  auto apart = [](int64_t count) { return (count + 15) / 16 * 16 + 16; };
  pitch = apart(keyCount);
  tilePitch = apart(keyTile);
  rows[0] = queryTile;
  rows[1] = queryCount % queryTile;
  columns[0] = keyTile;
  columns[1] = keyCount % keyTile;
  items = forward.k.shape[0] * forward.k.shape[1];
  constexpr int64_t enough = 8;
  pieces = items >= enough ? 1 : (enough + items - 1) / items;
  pieces = std::min(pieces, blocks() * forward.group);
  try {
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        if (rows[row] > 0 && columns[column] > 0 && !makeProducts(row, column))
          return false;
  } catch (const dnnl::error &) {
    return false;
  }
  return true;
}

bool GradPlan::makeProducts(int row, int column) {
  int64_t m = rows[row], n = columns[column];
  auto dense = [](int64_t height, int64_t breadth) {
    return tileMatrix(height, breadth, breadth, 1);
  };
  auto wide = [&](int64_t height) { return tileMatrix(height, n, pitch, 1); };
  Products &made = products[row][column];
  dnnl::memory::desc tile = tileMatrix(m, n, tilePitch, 1);
  made.scores = tileProduct(dense(m, depth), wide(depth), tile, false);
  made.weights = tileProduct(dense(m, width), wide(width), tile, false);
  made.queries = tileProduct(tile, dense(n, depth), dense(m, depth), true);
  made.keys = tileProduct(dense(depth, m), tile, wide(depth), true);
  made.values = tileProduct(dense(width, m), tile, wide(width), true);
  for (const auto *one :
       {&made.scores, &made.weights, &made.queries, &made.keys, &made.values}) {
    if (!isFast(*one))
      return false;
    scratchpad = std::max<int64_t>(
        scratchpad, static_cast<int64_t>(one->scratchpad_desc().get_size()));
  }
  return true;
}

} // namespace hocket::runtime
