//===- RowPasses.cpp - what a kernel computes in which pass, and keeps ----===//

#include "Scheduler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

using namespace llvm;

namespace hocket::codegen {

static constexpr int64_t stackLimit = 1 << 20;

Scheduler::AxisSet Scheduler::rowAxesOf(ArrayRef<int> axes) const {
  AxisSet result;
  for (int axis : axes)
    if (rows.count(axis))
      result.insert(axis);
  return result;
}

void Scheduler::findLevels() {
  schedule.level.assign(graph.nodes.size(), 0);
  for (auto [i, node] : enumerate(graph.nodes)) {
    for (int operand : node.operands)
      schedule.level[i] = std::max(schedule.level[i], schedule.level[operand]);
    if (node.kind == NodeKind::Reduce)
      ++schedule.level[i];
  }
  for (const Output &output : graph.outputs)
    lastPass = std::max(lastPass, schedule.level[output.node]);
}

static int64_t costOf(ScalarOp function) {
  switch (function) {
  case ScalarOp::Exp:
  case ScalarOp::Log:
  case ScalarOp::Erf:
  case ScalarOp::Erfc:
  case ScalarOp::Tanh:
  case ScalarOp::Pow:
  case ScalarOp::Sin:
  case ScalarOp::Cos:
    return 10;
  case ScalarOp::Div:
  case ScalarOp::Sqrt:
  case ScalarOp::Rsqrt:
    return 4;
  default:
    return 1;
  }
}

/// Per element of a row; what does not vary along the row is free. A load is 1.
int64_t Scheduler::cost(int number) {
  if (costs.empty())
    costs.assign(graph.nodes.size(), -1);
  if (costs[number] >= 0)
    return costs[number];
  const Node &node = graph.nodes[number];
  int64_t total = 0;
  if (!rowAxesOf(node.axes).empty()) {
    constexpr int64_t costOfWord = 8; // where four are computed at once
    total = node.kind == NodeKind::Compute ? costOf(node.function)
            : node.kind == NodeKind::Keep  ? costOfWord
                                           : 1;
    if (node.kind != NodeKind::Reduce)
      for (int operand : node.operands)
        total += cost(operand);
  }
  return costs[number] = std::min<int64_t>(total, 1000);
}

bool Scheduler::reserve(int node, const AxisList &axes) {
  int64_t bytes = rowSize(graph, axes) * plan::byteSize(graph.nodes[node].type);
  if (!axes.empty() && stackBytes + bytes > stackLimit)
    return false;
  if (!axes.empty())
    stackBytes += bytes;
  schedule.rows[node] = axes;
  return true;
}

/// An output is written in the first pass that computes it, and later passes
/// load it if it is more than a load.
void Scheduler::decideOutput(int number, std::set<int> &passes) {
  int pass = passes.empty() ? lastPass : *passes.begin();
  for (int output : outputsOf[number])
    outputPass[output] = pass;
  const Output &first = graph.outputs[outputsOf[number].front()];
  bool whole = first.axes.size() == graph.nodes[number].axes.size();
  if (passes.size() > 1 && cost(number) > 1 && whole &&
      set_is_subset(outer, AxisSet(first.axes.begin(), first.axes.end()))) {
    schedule.reloaded[number] = outputsOf[number].front();
    passes = {pass};
  } else {
    passes.insert(pass);
  }
}

void Scheduler::keepRow(int number, std::set<int> &passes) {
  constexpr int64_t worthKeeping = 5;
  AxisSet axes = rowAxesOf(graph.nodes[number].axes);
  if (passes.size() < 2 || axes.empty() || cost(number) < worthKeeping ||
      !reserve(number, ordered(axes)))
    return;
  keptPass[number] = *passes.begin();
  passes = {*passes.begin()};
}

/// From consumers to producers: the passes that need each value.
void Scheduler::decideKept() {
  passesOf.assign(graph.nodes.size(), {});
  for (auto [number, output] : enumerate(graph.outputs))
    outputsOf[output.node].push_back(number);
  AxisSet loops = rows;
  loops.insert(outer.begin(), outer.end());
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node &node = graph.nodes[i];
    if (!schedule.used[i])
      continue;
    std::set<int> &passes = passesOf[i];
    if (outputsOf.count(i))
      decideOutput(i, passes);
    else if (node.kind == NodeKind::Compute &&
             set_is_subset(AxisSet(node.axes.begin(), node.axes.end()), loops))
      keepRow(i, passes);
    if (node.kind == NodeKind::Reduce)
      passes = {schedule.level[i] - 1};
    for (int operand : node.operands)
      passesOf[operand].insert(passes.begin(), passes.end());
  }
}

Nest &Scheduler::nestFor(int pass, const AxisSet &axes) {
  for (Nest &nest : nests[pass])
    if (AxisSet(nest.loops.begin(), nest.loops.end()) == axes)
      return nest;
  Nest &nest = nests[pass].emplace_back();
  nest.loops = ordered(axes);
  return nest;
}

/// Reductions of the same axes over the same axes share a nest. If the vector
/// axis is reduced (or not there) the reduced loops are innermost and
/// accumulate in scalars; else they are outermost and accumulate in rows.
void Scheduler::placeReductions() {
  std::map<std::pair<int, std::pair<AxisSet, AxisSet>>, SmallVector<int>>
      groups;
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i] || node.kind != NodeKind::Reduce)
      continue;
    AxisSet all = rowAxesOf(graph.nodes[node.operands[0]].axes);
    AxisSet over(node.reduced.begin(), node.reduced.end());
    all.insert(over.begin(), over.end());
    groups[{schedule.level[i] - 1, {all, over}}].push_back(i);
  }
  for (auto &[key, members] : groups) {
    auto &[all, over] = key.second;
    Nest &nest = nests[key.first].emplace_back();
    AxisSet kept = all;
    for (int axis : over)
      kept.erase(axis);
    nest.inMemory = all.count(vector) && !over.count(vector);
    nest.loops = ordered(nest.inMemory ? over : kept);
    append_range(nest.loops, ordered(nest.inMemory ? kept : over));
    if (nest.inMemory && over.count(unrolledReduced)) {
      nest.unrolled.push_back(unrolledReduced);
      erase(nest.loops, unrolledReduced);
    }
    nest.reductions.assign(members.begin(), members.end());
  }
}

void Scheduler::placeStores() {
  for (auto [node, pass] : keptPass)
    nestFor(pass, rowAxesOf(graph.nodes[node].axes)).kept.push_back(node);
  for (auto [number, pass] : outputPass)
    nestFor(pass, rowAxesOf(graph.outputs[number].axes))
        .outputs.push_back(number);
  for (auto &[pass, list] : nests) {
    // What a wider nest of the pass may load is computed before it.
    std::multimap<size_t, Nest> byWidth;
    for (Nest &nest : list)
      byWidth.emplace(nest.loops.size(), nest);
    for (auto &entry : byWidth) {
      Nest &nest = entry.second;
      if (nest.reductions.empty()) {
        for (int axis : flipped)
          if (is_contained(nest.loops, axis))
            nest.unrolled.push_back(axis);
        erase_if(nest.loops,
                 [&](int axis) { return is_contained(nest.unrolled, axis); });
      }
      schedule.nests.push_back(nest);
    }
  }
}

bool Scheduler::schedulePasses() {
  findLevels();
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Reduce &&
        !reserve(i, ordered(rowAxesOf(node.axes)))) {
      reason = "a reduction leaves rows that need more than 1 MiB of stack";
      return false;
    }
  decideKept();
  placeReductions();
  placeStores();
  return true;
}

} // namespace hocket::codegen
