//===- CutReductions.cpp - long reductions in parts -----------------------===//

#include "CutReductions.h"
#include "GpuSchedule.h"
#include "Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

/// Threads that keep a large chip busy.
static constexpr int64_t kEnoughThreads = 1 << 15;
/// Elements that a thread by itself, or the threads of a row, should have.
static constexpr int64_t kWorthAThread = 64, kWorthABlock = 4096;
static constexpr int64_t kThreadsOfRow = 1024;

/// Replaces reductions over the axis, which becomes a minor part, by one over
/// it and one, over what is left, of that.
static void reduceInParts(Graph &graph, int axis, int64_t part) {
  int major = cutAxis(graph, axis, part);
  Graph result = graph;
  result.nodes.clear();
  std::vector<int> numbers;
  for (const Node &old : graph.nodes) {
    Node node = old;
    for (int &operand : node.operands)
      operand = numbers[operand];
    if (node.kind == NodeKind::Reduce && is_contained(node.reduced, major)) {
      Node inner = node;
      llvm::erase(inner.reduced, major);
      node.reduced = {major};
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

/// Cuts the first reduction that leaves too few threads to work for; false if
/// there is none.
static bool cutOne(Graph &graph) {
  std::vector<bool> used = graph.usedNodes();
  int fastest = fastestAxis(graph);
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!used[i] || node.kind != NodeKind::Reduce)
      continue;
    Span span = spanOf(graph, node);
    bool alongRow = span.reduced.count(fastest);
    int longest = alongRow ? fastest : -1;
    for (int axis : span.reduced)
      if (longest < 0 || (!alongRow && graph.axes[axis] > graph.axes[longest]))
        longest = axis;
    if (longest < 0 || graph.isRemapped(longest))
      continue;
    int64_t size = graph.axes[longest], threads = 1;
    for (int axis : span.left)
      threads *= graph.axes[axis];
    int64_t worth = alongRow ? kWorthABlock : kWorthAThread;
    if (alongRow)
      threads *= std::min<int64_t>(size, kThreadsOfRow);
    if (threads <= 0 || threads >= kEnoughThreads || size < 2 * worth)
      continue;
    int64_t parts =
        divisorUpTo(size, std::min(divideCeil(kEnoughThreads, threads),
                                   divideCeil(size, worth)));
    if (parts == 1)
      continue;
    reduceInParts(graph, longest, size / parts);
    return true;
  }
  return false;
}

void cutReductions(Graph &graph) {
  while (cutOne(graph)) {
  }
}

} // namespace hocket::codegen
