//===- Reductions.cpp - sums and maxima of rows among threads -------------===//
//
// A thread reduces its own elements one after the other; the lanes of a warp
// exchange theirs, each with the one at half the distance before (a butterfly),
// so all have the same bits; warps of a row leave theirs in shared memory, of
// which every warp that needs them reduces all. The order depends on the shapes
// alone.
//
//===----------------------------------------------------------------------===//

#include "Chip.h"
#include "ThreadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket::codegen {

/// The address space of a block's memory.
static constexpr int64_t kSharedMemory = 3;
/// Values of other warps that a thread loads at once.
static constexpr int64_t kTakenAtOnce = 8;

/// Rows that a thread reduces beside each other.
int64_t ThreadEmitter::rowsOfUnit() const {
  return schedule.isVectorOfRow ? 1 : schedule.vector;
}

/// Reduces the elements of a unit; `carried` has a value for each node and row.
ThreadEmitter::Values ThreadEmitter::reduceUnit(ArrayRef<int> nodes,
                                                const Unit &unit, Scope &scope,
                                                Values carried) {
  int64_t rows = rowsOfUnit();
  for (auto [i, number] : llvm::enumerate(nodes)) {
    const Node &node = graph.nodes[number];
    Values elements;
    for (const Values &env : unit.elements)
      elements.push_back(evaluate(node.operands[0], env, scope));
    insertIn(scope);
    Value none = unit.isThere ? identity(node) : Value();
    for (auto [k, element] : llvm::enumerate(elements)) {
      Value &sum = carried[i * rows + k % rows];
      if (none)
        element =
            arith::SelectOp::create(builder, loc, unit.isThere, element, none);
      sum = combine(node, sum, element);
    }
  }
  return carried;
}

void ThreadEmitter::reduceLevel(int level, Scope &row) {
  SmallVector<int> nodes;
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Reduce &&
        schedule.level[i] == level)
      nodes.push_back(i);
  insertIn(row);
  size_t rows = rowsOfUnit();
  Values start;
  for (int node : nodes)
    start.append(rows, identity(graph.nodes[node]));
  Values own =
      forUnits(row, start, [&](const Unit &unit, Scope &scope, Values carried) {
        carried = reduceUnit(nodes, unit, scope, std::move(carried));
        store(outputsOfPass(level - 1), unit, scope);
        return carried;
      });
  for (auto [i, number] : llvm::enumerate(nodes)) {
    const Node &node = graph.nodes[number];
    insertIn(row);
    Values all;
    for (size_t k = 0; k < rows; ++k)
      all.push_back(acrossLanes(node, own[i * rows + k]));
    if (schedule.lanes > lanesOfWarp())
      all = acrossWarps(node, all, isNeededByAll(level));
    reduced[number] = all;
  }
}

/// Lanes of a row that are in one warp.
int64_t ThreadEmitter::lanesOfWarp() const {
  return std::min(schedule.lanes,
                  std::max<int64_t>(kWarp / schedule.rowsTogether, 1));
}

Value ThreadEmitter::acrossLanes(const Node &node, Value value) {
  for (int64_t distance = lanesOfWarp() / 2; distance > 0; distance /= 2)
    value =
        combine(node, value, shuffle(value, distance * schedule.rowsTogether));
  return value;
}

/// Whether lanes but the first need what is reduced: for another pass.
bool ThreadEmitter::isNeededByAll(int level) const {
  return level < levels ||
         llvm::any_of(
             graph.outputs,
             [&](const Output &output) {
               return !isOfRow(output) && schedule.level[output.node] >= level;
             });
}

/// Where a warp of a row leaves the values of the k-th row of its units: what
/// neighbors leave lies next to each other.
Value ThreadEmitter::placeOf(Value warp, int64_t k) {
  Value rows = index(schedule.rowsOfBlock),
        before = index(k * schedule.threads / lanesOfWarp());
  Value place = arith::MulIOp::create(builder, loc, warp, rows);
  place = arith::AddIOp::create(builder, loc, place, rowOfBlock);
  return arith::AddIOp::create(builder, loc, place, before);
}

/// The first lane of each warp leaves the warp's values.
void ThreadEmitter::leave(Value memory, ArrayRef<Value> values) {
  Value size = index(lanesOfWarp()), zero = index(0);
  Value warp = arith::DivUIOp::create(builder, loc, lane, size);
  Value laneOfWarp = arith::RemUIOp::create(builder, loc, lane, size);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        laneOfWarp, zero);
  SmallVector<Value> places;
  for (size_t k = 0; k < values.size(); ++k)
    places.push_back(placeOf(warp, k));
  auto guard = scf::IfOp::create(builder, loc, isFirst);
  OpBuilder::InsertionGuard inGuard(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  for (auto [value, place] : llvm::zip(values, places))
    memref::StoreOp::create(builder, loc, value, memory, ValueRange(place));
}

/// Where all lanes of a warp have one row: each takes a value.
Value ThreadEmitter::takeOfLanes(const Node &node, Value memory, size_t k) {
  int64_t warps = schedule.lanes / kWarp;
  Value count = index(warps);
  Value other = arith::RemUIOp::create(builder, loc, lane, count);
  Value value = memref::LoadOp::create(builder, loc, memory,
                                       ValueRange(placeOf(other, k)));
  for (int64_t distance = warps / 2; distance > 0; distance /= 2)
    value = combine(node, value, shuffle(value, distance));
  return value;
}

/// Adds what `count` warps from number `warp` on have left; `sums` may be
/// empty.
ThreadEmitter::Values ThreadEmitter::takeSome(const Node &node, Value memory,
                                              Value warp, int64_t count,
                                              Values sums) {
  for (int64_t i = 0; i < count; ++i) {
    Value number = arith::AddIOp::create(builder, loc, warp, index(i));
    for (size_t k = 0; k < size_t(rowsOfUnit()); ++k) {
      Value one = memref::LoadOp::create(builder, loc, memory,
                                         ValueRange(placeOf(number, k)));
      if (k < sums.size())
        sums[k] = combine(node, sums[k], one);
      else
        sums.push_back(one);
    }
  }
  return sums;
}

/// Where neighbors have other rows: each takes all values of its rows, a few at
/// a time.
ThreadEmitter::Values ThreadEmitter::takeAll(const Node &node, Value memory) {
  int64_t warps = schedule.lanes / lanesOfWarp();
  int64_t some =
      std::min(warps, std::max<int64_t>(kTakenAtOnce / rowsOfUnit(), 1));
  Value first = index(some), end = index(warps), step = index(some);
  Values sums = takeSome(node, memory, index(0), some, {});
  if (some == warps)
    return sums;
  auto loop = scf::ForOp::create(builder, loc, first, end, step, sums);
  OpBuilder::InsertionGuard inLoop(builder);
  builder.setInsertionPointToStart(loop.getBody());
  sums = takeSome(node, memory, loop.getInductionVar(), some,
                  Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, loc, sums);
  return Values(loop.getResults());
}

/// `forAll`: all lanes get the values, else the first one alone.
ThreadEmitter::Values ThreadEmitter::acrossWarps(const Node &node,
                                                 ArrayRef<Value> values,
                                                 bool forAll) {
  Value memory = sharedMemory(values.front().getType(),
                              values.size() * schedule.threads / lanesOfWarp());
  leave(memory, values);
  NVVM::BarrierOp::create(builder, loc);
  if (lanesOfWarp() == kWarp) {
    Values all;
    for (size_t k = 0; k < values.size(); ++k)
      all.push_back(takeOfLanes(node, memory, k));
    return all;
  }
  if (forAll)
    return takeAll(node, memory);
  Value zero = index(0);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
  SmallVector<Type> types(values.size(), values.front().getType());
  auto guard = scf::IfOp::create(builder, loc, types, isFirst, true);
  OpBuilder::InsertionGuard inGuard(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  scf::YieldOp::create(builder, loc, takeAll(node, memory));
  builder.setInsertionPointToStart(guard.elseBlock());
  scf::YieldOp::create(builder, loc, values);
  return Values(guard.getResults());
}

/// The value of the lane whose number differs in one bit.
Value ThreadEmitter::shuffle(Value value, int64_t distance) {
  Type type = value.getType(), i32 = builder.getI32Type(),
       i64 = builder.getI64Type();
  auto number = [&](int64_t n, Type of) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(of, n));
  };
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, loc, i32, number(-1, i32), word,
                                number(distance, i32), number(kWarp - 1, i32),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  bool isWide = type.getIntOrFloatBitWidth() == 64;
  Type bits = isWide ? i64 : i32;
  if (type != bits)
    value = arith::BitcastOp::create(builder, loc, bits, value);
  if (isWide) {
    Value half = number(32, i64);
    Value low = arith::TruncIOp::create(builder, loc, i32, value);
    Value high = arith::TruncIOp::create(
        builder, loc, i32, arith::ShRUIOp::create(builder, loc, value, half));
    low = arith::ExtUIOp::create(builder, loc, i64, exchange(low));
    high = arith::ExtUIOp::create(builder, loc, i64, exchange(high));
    value = arith::OrIOp::create(
        builder, loc, low, arith::ShLIOp::create(builder, loc, high, half));
  } else {
    value = exchange(value);
  }
  return type == bits
             ? value
             : Value(arith::BitcastOp::create(builder, loc, type, value));
}

/// Memory of its own for each reduction, so that one barrier each is enough.
Value ThreadEmitter::sharedMemory(Type type, int64_t elements) {
  auto memory = MemRefType::get({elements}, type, MemRefLayoutAttrInterface(),
                                builder.getI64IntegerAttr(kSharedMemory));
  std::string name =
      (func.getName() + "_shared" + llvm::Twine(sharedBuffers++)).str();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    memref::GlobalOp::create(builder, loc, name,
                             builder.getStringAttr("private"), memory,
                             builder.getUnitAttr(), /*constant=*/false,
                             builder.getI64IntegerAttr(16));
  }
  return memref::GetGlobalOp::create(builder, loc, memory, name);
}

} // namespace hocket::codegen
