//===- Span.h - the axes of a reduction ------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_SPAN_H
#define HOCKET_LIB_CODEGEN_GPU_SPAN_H

#include "lib/CodeGen/Graph/Graph.h"
#include <set>

namespace hocket::codegen {

using AxisSet = std::set<int>;

/// What a reduction runs over, and what it leaves.
struct Span {
  AxisSet reduced, left;
  bool operator==(const Span &other) const {
    return reduced == other.reduced && left == other.left;
  }
  bool has(int axis) const { return reduced.count(axis) || left.count(axis); }
};

/// Axes of size 1 belong to no span.
inline Span spanOf(const Graph &graph, const Node &node) {
  Span span;
  for (int axis : node.reduced)
    if (graph.axes[axis] != 1)
      span.reduced.insert(axis);
  for (int axis : node.axes)
    if (graph.axes[axis] != 1)
      span.left.insert(axis);
  return span;
}

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_SPAN_H
