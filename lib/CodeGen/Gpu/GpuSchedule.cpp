//===- GpuSchedule.cpp - which threads compute what -----------------------===//

#include "GpuSchedule.h"
#include "BlockShape.h"
#include "Chip.h"
#include "RepeatUnits.h"
#include "ShiftRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

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
  template <typename Visit> void forOperands(Visit visit) const;
  int64_t narrowestAlong(int axis, int across) const;
  int otherNear(int fastest) const;
  bool tile(int fastest);
  void shareSectors(int fastest);
  void standTogether(int axis, int64_t rows);
  int cutUnits(int axis, int64_t vector);
  void findOuter();
  int64_t strideOf(int axis) const;
  void orderAxes();

  Graph &graph;
  GpuSchedule &schedule;
  bool reduces = false, alongRow = false;
  int vectorMajor = -1;       // what numbers units along the vector axis
  SmallVector<int, 2> ofTile; // axes of a warp's tile, the fastest last
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
    schedule.partAxis = node.axis;
    schedule.row.clear();
    for (int axis : node.reduced)
      if (graph.axes[axis] != 1 && axis != schedule.vectorAxis)
        schedule.row.push_back(axis);
  }
}

double bytesOf(const Graph &graph, const LinearForm &form, DType type) {
  double bytes = plan::byteSize(type);
  for (auto &term : form.terms)
    bytes *= graph.axes[term.first];
  return bytes;
}

/// Bytes of accesses whose elements along the axis lie next to each other, of
/// the nodes that count; what is stored counts only where all nodes do.
static double score(const Graph &graph, int axis,
                    const std::vector<bool> &counts = {}) {
  double near = 0;
  auto add = [&](const LinearForm &form, DType type) {
    if (form.of(axis) == 1)
      near += bytesOf(graph, form, type);
  };
  for (auto [i, node] : enumerate(graph.nodes))
    if (node.kind == NodeKind::Load && (counts.empty() || counts[i]))
      add(node.form, graph.inputTypes[node.argument]);
  if (counts.empty())
    for (auto [output, type] : zip(graph.outputs, graph.outputTypes))
      add(output.form, type);
  return near;
}

int fastestAxis(const Graph &graph, int node) {
  std::vector<bool> counts;
  if (node >= 0)
    counts = graph.neededBy(node);
  int fastest = -1;
  double best = 0;
  for (auto [axis, size] : enumerate(graph.axes)) {
    double near = size > 1 ? score(graph, axis, counts) : 0;
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
  return count;
}

/// Calls `visit(form, type, argument)` for what is loaded and stored.
template <typename Visit> void GpuScheduler::forOperands(Visit visit) const {
  for (auto [i, node] : enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Load)
      visit(node.form, graph.inputTypes[node.argument], node.argument);
  for (auto [number, output] : enumerate(graph.outputs))
    visit(output.form, graph.outputTypes[number],
          graph.inputTypes.size() + number);
}

/// One access for the elements of a unit, of the widest type too: with two, the
/// lanes of a warp would each take half of a sector at a time. Of what is read
/// at the other place of a pair as well, a unit has the pair.
int64_t GpuScheduler::vectorOf(int axis) const {
  bool isPair = graph.axes[axis] == 2 && none_of(graph.nodes, [&](auto &node) {
                  return (node.kind != NodeKind::Flip && node.axis == axis) ||
                         is_contained(node.pieceAxes, axis);
                });
  if (graph.isRemapped(axis) && !isPair)
    return 1;
  int64_t count = 8; // bools come in eights
  forOperands([&](const LinearForm &form, DType type, size_t argument) {
    if (form.of(axis) == 1)
      count = std::min(count, alignedElements(form, axis, type,
                                              schedule.alignments[argument]));
    else if (form.of(axis) != 0)
      count = 1; // strided: threads next to each other serve it better
  });
  while (graph.axes[axis] % count != 0)
    count /= 2;
  return count;
}

/// The distance, in elements, of what the largest operand has along the axis.
int64_t GpuScheduler::strideOf(int axis) const {
  int64_t stride = INT64_MAX;
  double most = 0;
  forOperands([&](const LinearForm &form, DType type, size_t) {
    double bytes = bytesOf(graph, form, type);
    if (form.of(axis) != 0 && bytes > most) {
      most = bytes;
      stride = std::abs(form.of(axis));
    }
  });
  return stride;
}

/// Axes whose elements lie nearer are faster; the major part of the vector axis
/// is fastest of all.
void GpuScheduler::orderAxes() {
  auto key = [&](int axis) {
    return std::pair(score(graph, axis), -strideOf(axis));
  };
  auto order = [&](SmallVector<int, 4> &axes) {
    llvm::stable_sort(axes, [&](int a, int b) {
      if (a == vectorMajor || b == vectorMajor)
        return b == vectorMajor && a != b;
      return key(a) < key(b);
    });
  };
  order(schedule.outer);
  order(schedule.row);
  for (int axis : ofTile) {
    auto &axes =
        is_contained(schedule.row, axis) ? schedule.row : schedule.outer;
    llvm::erase(axes, axis);
    axes.push_back(axis);
  }
}

/// Bytes of the narrowest elements that lie next to each other along an axis,
/// of what varies over the other axis as well; 0: there are none.
int64_t GpuScheduler::narrowestAlong(int axis, int across) const {
  int64_t bytes = 0;
  forOperands([&](const LinearForm &form, DType type, size_t) {
    if (form.of(axis) == 1 && form.of(across) != 0 &&
        (!bytes || plan::byteSize(type) < bytes))
      bytes = plan::byteSize(type);
  });
  return bytes;
}

/// The axis beside the fastest along which most lies next to each other; -1:
/// there is none.
int GpuScheduler::otherNear(int fastest) const {
  int other = -1;
  for (int axis = 0; axis < int(graph.axes.size()); ++axis)
    if (axis != fastest && narrowestAlong(axis, fastest) &&
        (other < 0 || score(graph, axis) > score(graph, other)))
      other = axis;
  return other;
}

/// Where some operands lie along another axis than others, a warp takes a tile
/// of both, a sector wide each way. x [i, j] in f32 and y [j, i] in bf16, with
/// i the faster one:
///
///   8 lanes along j             8 * 4 bytes of x
///   4 lanes of 4 along i        4 * 4 * 2 bytes of y
///
/// Where one of them is of the row and the other is not, rows are neighbors.
/// False if there is no such axis, or a tile does not divide them.
bool GpuScheduler::tile(int fastest) {
  int other = otherNear(fastest);
  if (other < 0 || graph.isRemapped(fastest) || graph.isRemapped(other))
    return false;
  int64_t otherLanes =
      std::min(kSectorBytes / narrowestAlong(other, fastest), kWarp);
  int64_t lanes = kWarp / otherLanes;
  int64_t bytes = lanes * std::max<int64_t>(narrowestAlong(fastest, other), 1);
  int64_t vector = std::max<int64_t>(kSectorBytes / bytes, 1);
  bool isAligned = true;
  forOperands([&](const LinearForm &form, DType type, size_t argument) {
    if (form.of(fastest) == 1)
      isAligned &=
          alignedElements(form, fastest, type, schedule.alignments[argument]) >=
          std::min(vector, kAccessBytes / plan::byteSize(type));
  });
  if (!isAligned || graph.axes[other] % otherLanes != 0 ||
      graph.axes[fastest] % (lanes * vector) != 0)
    return false;
  bool otherAlongRow = is_contained(schedule.row, other);
  int along = cutUnits(fastest, vector);
  ofTile = {other};
  if (alongRow == otherAlongRow) {
    cutAxis(graph, along, lanes);
    cutAxis(graph, other, otherLanes);
    ofTile = {along, other};
  }
  if (reduces && !(alongRow && otherAlongRow))
    schedule.rowsTogether = otherAlongRow ? lanes
                            : alongRow    ? otherLanes
                                          : kWarp;
  return true;
}

/// Makes units of so many elements; returns the axis that numbers them.
int GpuScheduler::cutUnits(int axis, int64_t vector) {
  schedule.vector = vector;
  if (vector == 1)
    return axis;
  schedule.vectorAxis = axis;
  return vectorMajor = cutAxis(graph, axis, vector);
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
        int(axis) != schedule.partAxis &&
        !is_contained(schedule.row, int(axis)))
      schedule.outer.push_back(axis);
}

/// Rows that share sectors are computed by neighbors. Of x [h, w, g, c], which
/// is reduced over all except g, a sector has the elements of several g where c
/// is short.
void GpuScheduler::shareSectors(int fastest) {
  const LinearForm *largest = nullptr;
  DType type = DType::F32;
  double most = 0;
  forOperands([&](const LinearForm &form, DType stored, size_t) {
    double bytes = bytesOf(graph, form, stored);
    if (form.of(fastest) == 1 && bytes > most) {
      largest = &form;
      type = stored;
      most = bytes;
    }
  });
  if (!largest)
    return;
  // What a row has next to each other, and what follows.
  int64_t run = 1, row = schedule.vector;
  for (int axis : schedule.row)
    row *= graph.axes[axis];
  for (bool goesOn = true; goesOn && run < row;) {
    goesOn = false;
    for (auto &[axis, coefficient] : largest->terms) {
      if (coefficient != run || graph.axes[axis] == 1)
        continue;
      if (is_contained(schedule.outer, axis))
        return standTogether(axis, kLineBytes / (run * plan::byteSize(type)));
      run *= graph.axes[axis];
      goesOn = true;
      break;
    }
  }
}

/// So many rows next to each other along the axis, if there are.
void GpuScheduler::standTogether(int axis, int64_t rows) {
  rows = std::min<int64_t>(PowerOf2Ceil(graph.axes[axis]), PowerOf2Ceil(rows));
  if (rows < 2)
    return;
  schedule.rowsTogether = std::min(rows, kWarp);
  ofTile = {axis};
}

void GpuScheduler::run() {
  schedule.used = graph.usedNodes();
  findRow();
  int fastest = fastestAxis(graph);
  alongRow = is_contained(schedule.row, fastest);
  bool isTiled = fastest >= 0 && tile(fastest);
  if (fastest >= 0 && !isTiled &&
      !shiftRows(graph, schedule, fastest, vectorOf(fastest)))
    cutUnits(fastest, vectorOf(fastest));
  alongRow |= schedule.isShifted();
  findRow();
  schedule.isVectorOfRow = alongRow && schedule.vectorAxis >= 0;
  findOuter();
  findLevels();
  if (alongRow && !isTiled && !schedule.isShifted())
    shareSectors(fastest);
  orderAxes();
  if (!schedule.hasRow() && !reduces)
    repeatUnits(graph, schedule, ofTile);
  shapeBlocks(graph, schedule, alongRow);
}

void makeGpuSchedule(Graph &graph, GpuSchedule &schedule) {
  GpuScheduler(graph, schedule).run();
}

} // namespace hocket::codegen
