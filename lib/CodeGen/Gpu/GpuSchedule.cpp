//===- GpuSchedule.cpp - which threads compute what -----------------------===//

#include "GpuSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

/// Elements that a thread holds of a row: no spills at 255 registers, enough
/// loads in flight.
static constexpr int64_t kElementsOfThread = 16;
static constexpr int64_t kWarp = 32, kMaxLanes = 1024;
static constexpr int64_t kAccessBytes = 16;

namespace {
class GpuScheduler {
public:
  GpuScheduler(Graph &graph, GpuSchedule &schedule)
      : graph(graph), schedule(schedule) {}
  void run();

private:
  void findLevels();
  void findRow();
  int64_t vectorOf(int axis) const;
  int64_t alignedElements(const LinearForm &form, int axis, DType type,
                          int64_t alignment) const;
  void findOuter();
  void orderAxes();
  void chooseThreads(bool alongRow);

  Graph &graph;
  GpuSchedule &schedule;
  bool reduces = false;
};
} // namespace

void GpuScheduler::findLevels() {
  schedule.level.assign(graph.nodes.size(), 0);
  for (auto [i, node] : enumerate(graph.nodes)) {
    for (int operand : node.operands)
      schedule.level[i] = std::max(schedule.level[i], schedule.level[operand]);
    schedule.level[i] += node.kind == NodeKind::Reduce;
  }
}

/// All reductions run over the same axes.
void GpuScheduler::findRow() {
  for (auto [i, node] : enumerate(graph.nodes)) {
    if (!schedule.used[i] || node.kind != NodeKind::Reduce)
      continue;
    reduces = true;
    schedule.row.clear();
    for (int axis : node.reduced)
      if (graph.axes[axis] != 1)
        schedule.row.push_back(axis);
  }
}

/// Bytes of accesses whose elements along the axis lie next to each other.
static double score(const Graph &graph, int axis) {
  double near = 0;
  auto add = [&](const LinearForm &form, DType type) {
    double bytes = plan::byteSize(type);
    for (auto &term : form.terms)
      bytes *= graph.axes[term.first];
    if (form.of(axis) == 1)
      near += bytes;
  };
  for (const Node &node : graph.nodes)
    if (node.kind == NodeKind::Load)
      add(node.form, graph.inputTypes[node.argument]);
  for (auto [output, type] : zip(graph.outputs, graph.outputTypes))
    add(output.form, type);
  return near;
}

int fastestAxis(const Graph &graph) {
  int fastest = -1;
  double best = 0;
  for (auto [axis, size] : enumerate(graph.axes)) {
    double near = size > 1 ? score(graph, axis) : 0;
    if (near > best) {
      fastest = axis;
      best = near;
    }
  }
  return fastest;
}

/// The largest power of two such that each group of so many elements along the
/// axis is aligned to its size (up to 16 bytes).
int64_t GpuScheduler::alignedElements(const LinearForm &form, int axis,
                                      DType type, int64_t alignment) const {
  int64_t bytes = plan::byteSize(type), most = kAccessBytes / bytes;
  uint64_t common = uint64_t(alignment);
  for (auto &[other, coefficient] : form.terms)
    if (other != axis)
      common = std::gcd(common, uint64_t(std::abs(coefficient) * bytes));
  if (form.offset)
    common = std::gcd(common, uint64_t(std::abs(form.offset) * bytes));
  int64_t count = 1;
  while (count < most && common % (2 * count * bytes) == 0)
    count *= 2;
  // More than one access for elements wider than the narrowest.
  return count == most ? kElementsOfThread : count;
}

int64_t GpuScheduler::vectorOf(int axis) const {
  if (axis < 0 || graph.isRemapped(axis))
    return 1;
  int64_t count = 1;
  auto widen = [&](const LinearForm &form, DType type) {
    if (form.of(axis) == 1)
      count = std::max(count, kAccessBytes / plan::byteSize(type));
  };
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Load)
      widen(node.form, graph.inputTypes[node.argument]);
  for (auto [output, type] : zip(graph.outputs, graph.outputTypes))
    widen(output.form, type);
  count = std::min<int64_t>(count, 8); // bools come in eights
  auto narrow = [&](const LinearForm &form, DType type, size_t argument) {
    if (form.of(axis) == 1)
      count = std::min(count, alignedElements(form, axis, type,
                                              schedule.alignments[argument]));
    else if (form.of(axis) != 0)
      count = 1; // strided: threads next to each other serve it better
  };
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Load)
      narrow(node.form, graph.inputTypes[node.argument], node.argument);
  for (auto [number, output] : enumerate(graph.outputs))
    narrow(output.form, graph.outputTypes[number],
           graph.inputTypes.size() + number);
  while (graph.axes[axis] % count != 0)
    count /= 2;
  return count;
}

/// Axes whose elements lie nearer are faster; the major part of the vector axis
/// is fastest of all.
void GpuScheduler::orderAxes() {
  auto key = [&](int axis) { return score(graph, axis); };
  int vectorMajor = -1;
  if (schedule.vectorAxis >= 0)
    vectorMajor = int(graph.axes.size()) - 1; // cutAxis adds it last
  auto order = [&](SmallVector<int, 4> &axes) {
    llvm::stable_sort(axes, [&](int a, int b) {
      if (a == vectorMajor || b == vectorMajor)
        return b == vectorMajor && a != b;
      return key(a) < key(b);
    });
  };
  order(schedule.outer);
  order(schedule.row);
}

void GpuScheduler::chooseThreads(bool alongRow) {
  for (int axis : schedule.outer)
    schedule.rows *= graph.axes[axis];
  for (int axis : schedule.row)
    schedule.units *= graph.axes[axis];
  int64_t units = schedule.units;
  int64_t slotsAtMost =
      std::max<int64_t>(kElementsOfThread / schedule.vector, 1);
  if (alongRow && units > 1) {
    int64_t inWarp = std::min(kWarp, int64_t(PowerOf2Ceil(units)));
    int64_t forRegisters = PowerOf2Ceil(divideCeil(units, slotsAtMost));
    schedule.lanes = std::min(std::max(inWarp, forRegisters), kMaxLanes);
  }
  schedule.slots = units == 0 ? 0 : divideCeil(units, schedule.lanes);
  schedule.inRegisters = schedule.slots <= slotsAtMost;
  schedule.threads = schedule.row.empty() ? 256 : 128;
  schedule.threads = std::max(schedule.threads, schedule.lanes);
  schedule.rowsOfBlock = schedule.threads / schedule.lanes;
  schedule.blocks = divideCeil(schedule.rows, schedule.rowsOfBlock);
}

/// All that is neither along a row nor inside a unit, of what is computed.
void GpuScheduler::findOuter() {
  std::vector<bool> varies(graph.axes.size());
  auto mark = [&](ArrayRef<int> axes) {
    for (int axis : axes)
      varies[axis] = true;
  };
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i])
      mark(node.axes);
  for (const Output &output : graph.outputs)
    mark(output.axes);
  for (auto [axis, size] : enumerate(graph.axes))
    if (varies[axis] && size != 1 && int(axis) != schedule.vectorAxis &&
        !is_contained(schedule.row, int(axis)))
      schedule.outer.push_back(axis);
}

void GpuScheduler::run() {
  schedule.used = graph.usedNodes();
  findRow();
  int fastest = fastestAxis(graph);
  bool alongRow = is_contained(schedule.row, fastest);
  if (fastest >= 0 && (alongRow || !reduces)) {
    schedule.vector = vectorOf(fastest);
    if (schedule.vector > 1) {
      schedule.vectorAxis = fastest;
      int major = cutAxis(graph, fastest, schedule.vector);
      if (alongRow)
        *llvm::find(schedule.row, fastest) = major;
    }
  }
  findOuter();
  findLevels();
  orderAxes();
  chooseThreads(alongRow);
}

void makeGpuSchedule(Graph &graph, GpuSchedule &schedule) {
  GpuScheduler(graph, schedule).run();
}

} // namespace hocket::codegen
