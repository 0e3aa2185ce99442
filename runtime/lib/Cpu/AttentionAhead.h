//===- AttentionAhead.h - rows that attention reads soon --------*- C++ -*-===//
//
// Under a layout a tile of queries computes little of what it reads, and waits
// for memory a fifth of its time. Products of a tile ask for rows of the next
// one meanwhile, a few lines with each of their blocks.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CPU_ATTENTIONAHEAD_H
#define HOCKET_LIB_CPU_ATTENTIONAHEAD_H

#include "runtime/lib/Cpu/AttentionWalk.h"

namespace hocket::runtime {

/// Rows that a thread reads soon, in the order in which they are asked for.
class AheadRows {
public:
  explicit AheadRows(const BlockPlan &plan) : plan(plan) {}

  void clear() { count = 0; }
  /// Rows of a head, if their elements follow one another. Of what is added to
  /// many others nothing is asked: it would be gone when it is read.
  void add(const Operand &from, int64_t b, int64_t h, const QueryTile &tile);
  /// The panels that a tile visits under its layout and that `keys` neither has
  /// nor was asked for, of `keys` and `values`.
  void addPanels(VisitedKeys::Runs runs, HeadPanels &keys,
                 const HeadPanels &values);
  /// The product with the next of them.
  RowProduct with(RowProduct product);

private:
  void add(const RowsAhead &rows);

  static constexpr int64_t most = 32;
  const BlockPlan &plan;
  RowsAhead list[most]; // a ring
  int64_t first = 0, count = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_ATTENTIONAHEAD_H
