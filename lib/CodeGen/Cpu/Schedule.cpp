//===- Schedule.cpp - which axes are loops, and in what order -------------===//

#include "Schedule.h"
#include "Scheduler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

using namespace llvm;

namespace hocket::codegen {

/// Enough outer iterations for any number of threads; more are not flattened,
/// since each costs a division.
static constexpr int64_t enoughParallel = 256;

void Scheduler::findUsed() {
  schedule.used = graph.usedNodes();
  for (const Output &output : graph.outputs)
    written.insert(output.axes.begin(), output.axes.end());
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i])
      continue;
    reduced.insert(node.reduced.begin(), node.reduced.end());
    if (node.kind == NodeKind::Flip)
      flipped.insert(node.axis);
  }
}

/// Whether no reduction at or below a node runs over `axis` or varies
/// over it.
bool Scheduler::checkCone(int number, int axis) {
  const Node &node = graph.nodes[number];
  if (node.kind == NodeKind::Reduce &&
      (is_contained(node.reduced, axis) || is_contained(node.axes, axis)))
    return false;
  for (int operand : node.operands)
    if (!checkCone(operand, axis))
      return false;
  return true;
}

/// A piece is computed at a shifted number of its axis, where no loop runs: a
/// reduction that needs that axis has no loop.
bool Scheduler::checkRemaps() {
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i])
      continue;
    if (node.kind == NodeKind::Pieces)
      for (auto [operand, axis] : zip(node.operands, node.pieceAxes))
        if (axis >= 0 && !checkCone(operand, axis)) {
          reason = "a slice or concatenation takes its operand from a "
                   "reduction over or along the cut dim";
          return false;
        }
    if (node.kind != NodeKind::Reduce)
      continue;
    for (int axis : node.axes)
      if (!written.count(axis) && !reduced.count(axis)) {
        reason = "a reduction is used only through a slice or concatenation";
        return false;
      }
  }
  return true;
}

double Scheduler::elements(const LinearForm &form) const {
  double count = 1;
  for (auto &term : form.terms)
    count *= graph.axes[term.first];
  return count;
}

/// How well accesses vectorize along an axis: elements that lie next to each
/// other count, written ones twice; a short axis does not fill a vector.
double Scheduler::score(int axis) const {
  double near = 0.25;
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Load &&
        node.form.of(axis) == 1)
      near += elements(node.form);
  for (const Output &output : graph.outputs)
    if (output.form.of(axis) == 1)
      near += 2 * elements(output.form);
  return near * std::min<int64_t>(graph.axes[axis], 16);
}

void Scheduler::chooseVectorAxis() {
  AxisSet loops = reduced;
  loops.insert(written.begin(), written.end());
  double best = 0;
  for (int axis : loops) {
    if (flipped.count(axis))
      continue;
    double value = score(axis);
    bool larger =
        vector >= 0 && value == best && graph.axes[axis] > graph.axes[vector];
    if (vector < 0 || value > best || larger) {
      vector = axis;
      best = value;
    }
  }
}

/// Cuts an axis so that its minor part lies in [atLeast, atMost], if a divisor
/// does; the major part becomes an outer axis.
bool Scheduler::cutToBlock(int axis, int64_t atLeast, int64_t atMost) {
  int64_t size = graph.axes[axis];
  if (size <= atMost || graph.isRemapped(axis))
    return size <= atMost;
  for (int64_t block = atMost; block >= atLeast; --block)
    if (size % block == 0) {
      outer.insert(cutAxis(graph, axis, block));
      return true;
    }
  return false;
}

/// Where a load's neighbours lie along another axis than the vector axis (a
/// transposed operand), both are walked in blocks, so that the cache lines that
/// a row of the block touches are there for the next one.
void Scheduler::blockTransposed() {
  int across = -1;
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i] || node.kind != NodeKind::Load ||
        node.form.of(vector) < 16)
      continue;
    for (int axis : outer)
      if (node.form.of(axis) == 1 && graph.axes[axis] >= 16)
        across = axis;
  }
  if (across < 0 || !cutToBlock(across, 8, 32))
    return;
  outer.erase(across);
  rows.insert(across);
  cutToBlock(vector, 32, 128);
}

/// Sums over leading dims take several rows at once, so that an accumulator is
/// loaded and stored once for all of them.
void Scheduler::unrollReduced() {
  bool isRandom = any_of(graph.nodes, [](const Node &node) {
    return node.kind == NodeKind::Keep;
  });
  if (isRandom)
    return;
  int axis = ordered(reduced).back();
  if (written.count(axis) || flipped.count(axis) || graph.isRemapped(axis))
    return;
  for (int64_t count : {4, 3, 2})
    if (graph.axes[axis] % count == 0 && graph.axes[axis] > count) {
      int major = cutAxis(graph, axis, count);
      reduced.insert(major);
      rows.insert(major);
      unrolledReduced = axis;
      return;
    }
}

void Scheduler::chooseRowAxes() {
  rows = reduced;
  rows.insert(flipped.begin(), flipped.end());
  for (int axis : written)
    if (!rows.count(axis) && axis != vector)
      outer.insert(axis);
  if (vector < 0)
    return;
  if (reduced.empty()) {
    if (outer.empty()) {
      outer.insert(vector);
      return;
    }
    rows.insert(vector);
    int64_t count = 1;
    for (int axis : outer)
      count *= graph.axes[axis];
    blockTransposed();
    if (count < 64)
      cutToBlock(vector, 1024, 4096);
    return;
  }
  if (reduced.count(vector))
    return;
  // Nothing reduces the vector axis: rows of accumulators, if they are short.
  if (!longRows) {
    outer.insert(vector);
    return;
  }
  // Long blocks stream their rows, several ones give threads something to do.
  int64_t quarter = graph.axes[vector] / 4;
  cutToBlock(vector, 32, std::clamp<int64_t>(quarter, 256, 1024));
  unrollReduced();
  constexpr int64_t longestRow = 16384;
  (graph.axes[vector] <= longestRow ? rows : outer).insert(vector);
}

/// By stride in the output that has most axes, largest first.
AxisList Scheduler::ordered(const AxisSet &axes) const {
  const Output *widest = &graph.outputs.front();
  for (const Output &output : graph.outputs)
    if (output.axes.size() > widest->axes.size())
      widest = &output;
  AxisList list(axes.begin(), axes.end());
  auto key = [&](int axis) {
    return std::make_tuple(axis == vector, -std::abs(widest->form.of(axis)),
                           axis);
  };
  llvm::sort(list, [&](int a, int b) { return key(a) < key(b); });
  return list;
}

void Scheduler::orderOuterAxes() {
  for (int axis : ordered(outer)) {
    if (schedule.extent < enoughParallel && schedule.serial.empty()) {
      schedule.parallel.push_back(axis);
      schedule.extent *= graph.axes[axis];
    } else {
      schedule.serial.push_back(axis);
    }
  }
}

/// Some output must have all axes that are not reduced, or the loops would run
/// over combinations that nobody asked for. Outputs that miss an outer axis are
/// written where its number is 0.
bool Scheduler::checkOutputs() {
  bool covered = false;
  for (const Output &output : graph.outputs) {
    bool all = true;
    for (int axis : written) {
      if (reduced.count(axis) || is_contained(output.axes, axis))
        continue;
      all = false;
      if (graph.axes[axis] == 0) {
        reason = "one result is empty and another is not";
        return false;
      }
    }
    covered |= all;
  }
  if (!covered)
    reason = "its results do not share one loop";
  return covered;
}

/// An outer loop over an axis that a reduction does not know does it again for
/// each number: the norm of all gradients beside the update of one parameter.
/// That must not be more work than the rest of the kernel.
bool Scheduler::checkRepeats() {
  constexpr int64_t cheap = 1 << 14;
  int64_t most = cheap;
  auto count = [&](const AxisSet &axes) {
    int64_t elements = 1;
    for (int axis : axes)
      elements *= graph.axes[axis];
    return elements;
  };
  auto axesOf = [&](int node) {
    return AxisSet(graph.nodes[node].axes.begin(),
                   graph.nodes[node].axes.end());
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (schedule.used[i])
      most = std::max(most, count(axesOf(i)));
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i] || node.kind != NodeKind::Reduce)
      continue;
    AxisSet loops = axesOf(node.operands[0]);
    loops.insert(node.reduced.begin(), node.reduced.end());
    set_union(loops, set_difference(written, reduced));
    if (count(loops) > most) {
      reason = "a reduction would be done again for each element of a result";
      return false;
    }
  }
  return true;
}

bool Scheduler::run() {
  findUsed();
  if (!checkRemaps() || !checkOutputs())
    return false;
  if (repeats == Repeats::Refuse && !checkRepeats())
    return false;
  chooseVectorAxis();
  chooseRowAxes();
  orderOuterAxes();
  return schedulePasses();
}

bool makeSchedule(Graph &graph, Schedule &schedule, std::string &reason,
                  Repeats repeats) {
  if (graph.outputs.empty()) {
    reason = "it has no results";
    return false;
  }
  // Whether a group is accepted must not depend on strides, which only the
  // first choice does.
  for (bool longRows : {true, false}) {
    Graph copy = graph;
    schedule = Schedule();
    if (Scheduler(copy, schedule, longRows, repeats, reason).run()) {
      graph = std::move(copy);
      return true;
    }
  }
  return false;
}

int64_t rowSize(const Graph &graph, const AxisList &axes) {
  int64_t size = 1;
  for (int axis : axes)
    size *= graph.axes[axis];
  return size;
}

} // namespace hocket::codegen
