//===- RepeatUnits.cpp - several units of a thread ------------------------===//

#include "RepeatUnits.h"
#include "Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

/// Units that a thread computes one beside the other, and how many it loads at
/// most for these.
static constexpr int64_t kUnitsBeside = 4, kLoadsBeside = 8;
/// Units of a thread whose loads are shared.
static constexpr int64_t kUnitsThatShare = 16;
/// Units next to each other that threads next to each other keep.
static constexpr int64_t kUnitsOfWarp = 32;

namespace {
class Repeater {
public:
  Repeater(Graph &graph, GpuSchedule &schedule, ArrayRef<int> fixed)
      : graph(graph), schedule(schedule), fixed(fixed) {}
  void run();

private:
  bool takePair();
  double sharedBytes(int axis) const;
  int64_t loadsAlong(int axis) const;
  int64_t mostAlong(int axis) const;
  bool canCut(int axis, int64_t count) const;
  void cut(int axis, int64_t count);

  Graph &graph;
  GpuSchedule &schedule;
  ArrayRef<int> fixed;
};
} // namespace

bool Repeater::takePair() {
  for (const Node &node : graph.nodes)
    if (node.kind == NodeKind::Flip &&
        is_contained(schedule.outer, node.axis)) {
      llvm::erase(schedule.outer, node.axis);
      schedule.row.push_back(node.axis);
      return true;
    }
  return false;
}

/// Bytes of what is loaded and does not vary over the axis.
double Repeater::sharedBytes(int axis) const {
  double bytes = 0;
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Load &&
        node.form.of(axis) == 0)
      bytes += bytesOf(graph, node.form, graph.inputTypes[node.argument]);
  return bytes;
}

int64_t Repeater::loadsAlong(int axis) const {
  int64_t loads = 0;
  for (auto [i, node] : enumerate(graph.nodes))
    loads += schedule.used[i] && node.kind == NodeKind::Load &&
             node.form.of(axis) != 0;
  return std::max<int64_t>(loads, 1);
}

/// How many units a thread should have along the axis.
int64_t Repeater::mostAlong(int axis) const {
  int64_t units = 1;
  for (int other : schedule.outer)
    units *= graph.axes[other];
  int64_t most = sharedBytes(axis) > 0
                     ? kUnitsThatShare
                     : std::min(kUnitsBeside, kLoadsBeside / loadsAlong(axis));
  return std::min(most, units / kAllThreads);
}

bool Repeater::canCut(int axis, int64_t count) const {
  bool isFastest = axis == schedule.outer.back();
  return graph.axes[axis] % count == 0 && !graph.isRemapped(axis) &&
         !is_contained(fixed, axis) &&
         (!isFastest || graph.axes[axis] / count >= kUnitsOfWarp);
}

void Repeater::cut(int axis, int64_t count) {
  int64_t pairs = 1;
  for (int other : schedule.row)
    pairs *= graph.axes[other];
  int64_t beside = std::clamp<int64_t>(
      kLoadsBeside / (pairs * loadsAlong(axis)), 1, kUnitsBeside);
  schedule.unrolled = std::min(count, beside) * pairs;
  schedule.row.insert(schedule.row.begin(),
                      cutAxis(graph, axis, graph.axes[axis] / count));
}

void Repeater::run() {
  if (takePair())
    schedule.unrolled = 2;
  for (int64_t count = kUnitsThatShare; count > 1; count /= 2) {
    int best = -1;
    for (int axis : schedule.outer) // the slowest first
      if (mostAlong(axis) >= count && canCut(axis, count) &&
          (best < 0 || sharedBytes(axis) > sharedBytes(best)))
        best = axis;
    if (best >= 0)
      return cut(best, count);
  }
}

void repeatUnits(Graph &graph, GpuSchedule &schedule, ArrayRef<int> fixed) {
  Repeater(graph, schedule, fixed).run();
}

} // namespace hocket::codegen
