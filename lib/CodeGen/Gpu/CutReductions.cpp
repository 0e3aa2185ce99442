//===- CutReductions.cpp - long reductions in parts -----------------------===//

#include "CutReductions.h"
#include "GpuSchedule.h"
#include "Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

/// Threads that keep a large chip busy with the bytes that they wait for, and
/// those that use all of it, which are worth more launches in large kernels.
static constexpr int64_t kEnoughThreads = 1 << 15, kAllThreads = 1 << 18;
static constexpr int64_t kLargeKernel = 1 << 22; // elements
/// Elements that a thread by itself, or the threads of a row, should have.
static constexpr int64_t kWorthAThread = 64, kWorthABlock = 4096;
static constexpr int64_t kThreadsOfRow = 1024;

/// The axes whose numbers say which part an element is of, one for each axis
/// that is cut.
using PartAxes = SmallVector<int, 4>;

/// Replaces reductions over these axes by one over all else in their parts, and
/// one over the parts of that.
static void reduceInParts(Graph &graph, const PartAxes &parts) {
  Graph result = graph;
  result.nodes.clear();
  std::vector<int> numbers;
  for (const Node &old : graph.nodes) {
    Node node = old;
    for (int &operand : node.operands)
      operand = numbers[operand];
    auto isPart = [&](int axis) { return is_contained(parts, axis); };
    if (node.kind == NodeKind::Reduce && any_of(node.reduced, isPart)) {
      Node inner = node;
      llvm::erase_if(inner.reduced, isPart);
      llvm::erase_if(node.reduced, [&](int axis) { return !isPart(axis); });
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

/// The largest divisor of `size` that is at most `most`.
static int64_t divisorUpTo(int64_t size, int64_t most) {
  for (int64_t divisor = std::min(size, most); divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

static int64_t elementsOf(const Graph &graph, const AxisSet &axes) {
  int64_t elements = 1;
  for (int axis : axes)
    elements *= graph.axes[axis];
  return elements;
}

/// How many parts a reduction should have; 1: it has threads enough, or is not
/// worth more.
static int64_t wantedParts(const Graph &graph, const Span &span,
                           bool alongRow) {
  int64_t rows = elementsOf(graph, span.left);
  int64_t work = elementsOf(graph, span.reduced);
  int64_t worth = alongRow ? kWorthABlock : kWorthAThread;
  int64_t threads = alongRow ? rows * std::min(work, kThreadsOfRow) : rows;
  int64_t enough = rows * work < kLargeKernel ? kEnoughThreads : kAllThreads;
  if (threads <= 0 || threads >= kEnoughThreads || work < 2 * worth)
    return 1;
  return std::min(divideCeil(enough, threads), divideCeil(work, worth));
}

/// Cuts the longest axes of a reduction in about so many parts. Parts of a row
/// are runs of it; else neighbors in memory are of different parts, which
/// different threads reduce.
static PartAxes cutAxes(Graph &graph, const Span &span, bool alongRow,
                        int64_t wanted) {
  SmallVector<int> axes(span.reduced.begin(), span.reduced.end());
  llvm::stable_sort(
      axes, [&](int a, int b) { return graph.axes[a] > graph.axes[b]; });
  PartAxes parts;
  for (int axis : axes) {
    int64_t count = divisorUpTo(graph.axes[axis], wanted);
    if (count == 1 || graph.isRemapped(axis))
      continue;
    int major =
        cutAxis(graph, axis, alongRow ? graph.axes[axis] / count : count);
    parts.push_back(alongRow ? major : axis);
    wanted /= count;
  }
  return parts;
}

/// Cuts the first reduction that leaves too few threads to work for; false if
/// there is none.
static bool cutOne(Graph &graph) {
  std::vector<bool> used = graph.usedNodes();
  int fastest = fastestAxis(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!used[i] || graph.nodes[i].kind != NodeKind::Reduce)
      continue;
    Span span = spanOf(graph, graph.nodes[i]);
    bool alongRow = span.reduced.count(fastest);
    int64_t wanted = wantedParts(graph, span, alongRow);
    if (wanted == 1)
      continue;
    PartAxes parts = cutAxes(graph, span, alongRow, wanted);
    if (parts.empty())
      continue;
    reduceInParts(graph, parts);
    return true;
  }
  return false;
}

void cutReductions(Graph &graph) {
  while (cutOne(graph)) {
  }
}

} // namespace hocket::codegen
