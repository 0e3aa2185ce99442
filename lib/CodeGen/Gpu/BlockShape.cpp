//===- BlockShape.cpp - threads of a row and of a block -------------------===//

#include "BlockShape.h"
#include "Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hocket::codegen {

static constexpr int64_t kMostThreads = 1024;
/// Of a block, unless a row needs more.
static constexpr int64_t kThreads = 256, kThreadsOfRows = 128;
/// Elements that a thread holds of a row: no spills at 255 registers, enough
/// loads in flight.
static constexpr int64_t kElementsOfThread = 16;
/// Units of a row that is read once which are worth a thread, where there are
/// many and where there are few threads.
static constexpr int64_t kManyUnits = 8, kFewUnits = 4;
/// Loads of a turn of a loop over a row.
static constexpr int64_t kLoadsOfTurn = 8, kMostSlotsOfTurn = 4;
/// What parts of a row begin at multiples of.
static constexpr int64_t kUnitsTogether = 8;

/// The least power of two that is no less; 1 of 0.
static int64_t powerOf2(int64_t count) {
  return PowerOf2Ceil(std::max<int64_t>(count, 1));
}

namespace {
class BlockShaper {
public:
  BlockShaper(const Graph &graph, GpuSchedule &schedule)
      : graph(graph), schedule(schedule), units(schedule.unitsOfPart) {}
  void run(bool alongRow);

private:
  bool findReadsOnce() const;
  int64_t loads() const;
  int64_t leastTogether() const;
  void shapeRows();
  void shapeColumns();
  void holdColumns();
  void chooseTurns();

  const Graph &graph;
  GpuSchedule &schedule;
  int64_t &units; // of a part
  bool reduces = false;
  int64_t heldAtMost = 1; // slots in registers
};
} // namespace

/// Whether nothing of a row is needed once its reductions are known.
bool BlockShaper::findReadsOnce() const {
  auto isOfUnits = [&](const Output &output) {
    return any_of(output.axes,
                  [&](int axis) { return schedule.isOfUnit(axis); });
  };
  for (const Output &output : graph.outputs)
    if (schedule.level[output.node] > 1 ||
        (schedule.level[output.node] == 1 && isOfUnits(output)))
      return false;
  return true;
}

int64_t BlockShaper::loads() const {
  int64_t count = 0;
  for (auto [i, node] : enumerate(graph.nodes))
    count += schedule.used[i] && node.kind == NodeKind::Load;
  return std::max<int64_t>(count, 1);
}

void BlockShaper::shapeRows() {
  int64_t together = schedule.rowsTogether;
  int64_t lanes = std::min(kWarp, powerOf2(units));
  if (schedule.readsOnce) {
    heldAtMost = kManyUnits;
    int64_t rows = schedule.rows * schedule.parts;
    bool areMany = rows * divideCeil(units, kManyUnits) >= kEnoughThreads;
    int64_t worth = divideCeil(units, areMany ? kManyUnits : kFewUnits);
    lanes = std::max(lanes, std::min(powerOf2(worth), kThreads));
  } else {
    lanes = std::max(lanes, powerOf2(divideCeil(units, heldAtMost)));
  }
  lanes = std::min(lanes, kMostThreads / together);
  if (together > 1)
    lanes = std::max(lanes, kWarp / together);
  schedule.lanes = lanes;
  int64_t rows = together;
  if (together == 1) {
    rows = std::max(kThreadsOfRows / lanes, int64_t(1));
    rows = std::min(rows, powerOf2(schedule.rows));
    while (lanes > kWarp && schedule.rows % rows != 0)
      rows /= 2;
  }
  schedule.threads = std::max(rows * lanes, kWarp);
}

/// Rows next to each other that fill a sector of what is stored narrowest.
int64_t BlockShaper::leastTogether() const {
  int64_t bytes = 8;
  for (DType type : graph.inputTypes)
    bytes = std::min(bytes, int64_t(plan::byteSize(type)));
  return std::max<int64_t>(kSectorBytes / (bytes * schedule.vector), 1);
}

/// Lanes enough for the column to stay in registers; fewer columns then.
void BlockShaper::holdColumns() {
  int64_t forRegisters = powerOf2(divideCeil(units, heldAtMost));
  int64_t &together = schedule.rowsTogether;
  while (together * forRegisters > kMostThreads && together > leastTogether())
    together /= 2;
  schedule.lanes = std::min(forRegisters, kMostThreads / together);
}

void BlockShaper::shapeColumns() {
  int64_t rows = std::max<int64_t>(schedule.rows * schedule.parts, 1);
  int64_t &together = schedule.rowsTogether;
  if (together == 1)
    together = std::min(kWarp, powerOf2(schedule.rows));
  if (schedule.readsOnce) {
    int64_t worth = powerOf2(divideCeil(units, kFewUnits));
    int64_t wanted = powerOf2(divideCeil(kAllThreads, rows));
    schedule.lanes = std::min({worth, wanted, kThreadsOfColumns / together});
  } else {
    holdColumns();
  }
  // Whole warps, and blocks that are not too small.
  int64_t least = schedule.rows > together ? kThreadsOfRows : kWarp;
  while (together * schedule.lanes < least &&
         together < powerOf2(schedule.rows))
    together *= 2;
  schedule.lanes = std::max(schedule.lanes, kWarp / together);
  schedule.threads = together * schedule.lanes;
}

void BlockShaper::chooseTurns() {
  schedule.slots = divideCeil(units, schedule.lanes);
  // What is read once need not be held, and takes registers all the same.
  if (schedule.readsOnce)
    heldAtMost =
        std::min(heldAtMost, std::max<int64_t>(kLoadsOfTurn / loads(), 1));
  schedule.inRegisters = schedule.slots <= heldAtMost;
  if (!schedule.inRegisters && (reduces || schedule.isShifted()))
    schedule.unrolled =
        std::clamp<int64_t>(kLoadsOfTurn / loads(), 1, kMostSlotsOfTurn);
}

void BlockShaper::run(bool alongRow) {
  for (int axis : schedule.outer)
    schedule.rows *= graph.axes[axis];
  for (int axis : schedule.row)
    schedule.units *= graph.axes[axis];
  if (schedule.isShifted())
    schedule.units = graph.axes[schedule.vectorAxis] / schedule.vector;
  if (schedule.partAxis >= 0)
    schedule.parts = graph.axes[schedule.partAxis];
  units = divideCeil(schedule.units, schedule.parts);
  if (schedule.parts > 1) // whole sectors
    units = alignTo(units, kUnitsTogether);
  reduces = llvm::any_of(schedule.level, [](int level) { return level; });
  schedule.readsOnce = reduces ? findReadsOnce() : schedule.isShifted();
  heldAtMost = std::max<int64_t>(kElementsOfThread / schedule.vector, 1);
  if (!reduces && !schedule.isShifted()) {
    heldAtMost = schedule.unrolled;
    int64_t threads = powerOf2(schedule.rows);
    schedule.threads = std::clamp(threads, kWarp, kThreads);
  } else if (alongRow) {
    shapeRows();
  } else {
    shapeColumns();
  }
  chooseTurns();
  schedule.rowsOfBlock = schedule.threads / schedule.lanes;
  schedule.blocks =
      divideCeil(schedule.rows, schedule.rowsOfBlock) * schedule.parts;
}

void shapeBlocks(const Graph &graph, GpuSchedule &schedule, bool alongRow) {
  BlockShaper(graph, schedule).run(alongRow);
}

} // namespace hocket::codegen
