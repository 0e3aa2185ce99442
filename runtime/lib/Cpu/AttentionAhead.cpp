//===- AttentionAhead.cpp - rows that attention reads soon ----------------===//

#include "runtime/lib/Cpu/AttentionAhead.h"

namespace hocket::runtime {

void AheadRows::add(const RowsAhead &rows) {
  if (rows.rows > 0 && count < most)
    list[(first + count++) % most] = rows;
}

void AheadRows::add(const Operand &from, int64_t b, int64_t h,
                    const QueryTile &tile) {
  if (from.strides[3] == 1)
    add({rowOf(from, b, h, tile.row), from.strides[2], tile.rows,
         from.shape[3]});
}

void AheadRows::addPanels(VisitedKeys::Runs runs, HeadPanels &keys,
                          const HeadPanels &values) {
  for (KeyRun run : runs)
    for (int64_t key = run.begin; key < run.end && count < most;
         key = plan.keysOf(plan.panelOf(key)).end)
      if (keys.ask(key)) {
        add(keys.rowsOf(key));
        add(values.rowsOf(key));
      }
}

RowProduct AheadRows::with(RowProduct product) {
  for (RowsAhead &ahead : product.ahead)
    if (count > 0) {
      ahead = list[first];
      first = (first + 1) % most;
      --count;
    }
  return product;
}

} // namespace hocket::runtime
