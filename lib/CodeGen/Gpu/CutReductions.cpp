//===- CutReductions.cpp - long reductions in parts -----------------------===//

#include "CutReductions.h"
#include "Chip.h"
#include "GpuSchedule.h"
#include "Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

/// Elements of a kernel for which all threads of a chip are worth more
/// launches.
static constexpr int64_t kLargeKernel = 1 << 22;
/// Elements of an access, and accesses that a thread should have.
static constexpr int64_t kUnit = 4, kWorthAThread = 8;
/// Threads of a block that reduce a row.
static constexpr int64_t kThreadsOfRow = 256;

/// Replaces reductions with this span by one over the parts, which a new axis
/// numbers, of what is reduced in each.
static void reduceInParts(Graph &graph, const Span &span, int64_t parts) {
  int axis = graph.axes.size();
  Graph result = graph;
  result.axes.push_back(parts);
  result.nodes.clear();
  std::vector<int> numbers;
  for (const Node &old : graph.nodes) {
    Node node = old;
    for (int &operand : node.operands)
      operand = numbers[operand];
    if (node.kind == NodeKind::Reduce && spanOf(graph, old) == span) {
      Node inner = node;
      inner.axis = axis;
      node.reduced = {axis};
      node.operands = {int(result.nodes.size())};
      result.nodes.push_back(inner);
    }
    numbers.push_back(result.nodes.size());
    result.nodes.push_back(node);
  }
  for (Output &output : result.outputs)
    output.node = numbers[output.node];
  result.deriveAxes();
  graph = std::move(result);
}

static int64_t elementsOf(const Graph &graph, const AxisSet &axes) {
  int64_t elements = 1;
  for (int axis : axes)
    elements *= graph.axes[axis];
  return elements;
}

/// How many parts a reduction should have; 1: it has threads enough, or is not
/// worth more. `alongRow`: what it runs over lies next to each other.
static int64_t wantedParts(const Graph &graph, const Span &span,
                           bool alongRow) {
  int64_t rows = elementsOf(graph, span.left);
  int64_t work = elementsOf(graph, span.reduced);
  if (rows <= 0 || work <= 0)
    return 1;
  int64_t enough = rows * work < kLargeKernel ? kEnoughThreads : kAllThreads;
  int64_t lanes = kThreadsOfRow;
  if (alongRow) {
    work = divideCeil(work, kUnit);
  } else {
    rows = divideCeil(rows, kUnit);
    lanes = kThreadsOfColumns / std::min(rows, kWarp);
  }
  lanes = std::min<int64_t>(lanes, divideCeil(work, kWorthAThread));
  if (rows * lanes >= kEnoughThreads)
    return 1;
  int64_t wanted = divideCeil(enough, rows * lanes);
  return std::max<int64_t>(std::min(wanted, work / (lanes * kWorthAThread)), 1);
}

/// Whether it is one of the two that a reduction was cut in.
static bool isOfParts(const Graph &graph, const Node &node) {
  auto isPart = [&](int axis) {
    return any_of(graph.nodes, [&](const Node &other) {
      return other.kind == NodeKind::Reduce && other.axis == axis;
    });
  };
  return node.axis >= 0 || any_of(node.reduced, isPart);
}

/// Cuts the first reduction that leaves too few threads to work for; false if
/// there is none.
static bool cutOne(Graph &graph) {
  std::vector<bool> used = graph.usedNodes();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    if (!used[i] || node.kind != NodeKind::Reduce || isOfParts(graph, node))
      continue;
    Span span = spanOf(graph, node);
    bool alongRow = span.reduced.count(fastestAxis(graph, i));
    int64_t parts = wantedParts(graph, span, alongRow);
    if (parts == 1)
      continue;
    reduceInParts(graph, span, parts);
    return true;
  }
  return false;
}

void cutReductions(Graph &graph) {
  while (cutOne(graph)) {
  }
}

} // namespace hocket::codegen
