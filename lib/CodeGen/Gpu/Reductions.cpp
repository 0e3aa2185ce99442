//===- Reductions.cpp - sums and maxima of rows among threads -------------===//
//
// A thread reduces its own elements one after the other; the lanes of a warp
// exchange theirs, each with the one at half the distance before (a butterfly),
// so all have the same bits; warps of a row leave theirs in shared memory, of
// which every warp reduces all. The order depends on the shapes alone.
//
//===----------------------------------------------------------------------===//

#include "ThreadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket::codegen {

static constexpr int64_t kWarp = 32;
/// The address space of a block's memory.
static constexpr int64_t kSharedMemory = 3;

void ThreadEmitter::reduceLevel(int level, Scope &row) {
  SmallVector<int> nodes;
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    if (schedule.used[i] && node.kind == NodeKind::Reduce &&
        schedule.level[i] == level)
      nodes.push_back(i);
  insertIn(row);
  Values start;
  for (int node : nodes)
    start.push_back(identity(graph.nodes[node]));
  auto add = [&](const Unit &unit, Scope &scope, Values carried) {
    for (auto [i, number] : llvm::enumerate(nodes)) {
      const Node &node = graph.nodes[number];
      Values elements;
      for (const Values &env : unit.elements)
        elements.push_back(evaluate(node.operands[0], env, scope));
      insertIn(scope);
      Value none = unit.isThere ? identity(node) : Value();
      for (Value element : elements) {
        if (none)
          element = arith::SelectOp::create(builder, loc, unit.isThere, element,
                                            none);
        carried[i] = combine(node, carried[i], element);
      }
    }
    store(outputsOfPass(level - 1), unit, scope);
    return carried;
  };
  Values own = forUnits(row, start, add);
  for (auto [number, value] : llvm::zip(nodes, own)) {
    const Node &node = graph.nodes[number];
    insertIn(row);
    Value all = acrossLanes(node, value);
    if (schedule.lanes > kWarp)
      all = acrossWarps(node, all);
    reduced[number] = all;
  }
}

Value ThreadEmitter::acrossLanes(const Node &node, Value value) {
  for (int64_t distance = std::min(schedule.lanes, kWarp) / 2; distance > 0;
       distance /= 2)
    value = combine(node, value, shuffle(value, distance));
  return value;
}

Value ThreadEmitter::acrossWarps(const Node &node, Value value) {
  int64_t warps = schedule.lanes / kWarp;
  Value memory = sharedMemory(value.getType(), schedule.threads / kWarp);
  Value size = index(kWarp), count = index(warps), zero = index(0);
  Value warp = arith::DivUIOp::create(builder, loc, lane, size);
  Value laneOfWarp = arith::RemUIOp::create(builder, loc, lane, size);
  Value first = arith::MulIOp::create(builder, loc, rowOfBlock, count);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        laneOfWarp, zero);
  auto guard = scf::IfOp::create(builder, loc, isFirst);
  {
    OpBuilder::InsertionGuard inGuard(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    Value place = arith::AddIOp::create(builder, loc, first, warp);
    memref::StoreOp::create(builder, loc, value, memory, ValueRange(place));
  }
  NVVM::BarrierOp::create(builder, loc);
  Value other = arith::RemUIOp::create(builder, loc, lane, count);
  Value place = arith::AddIOp::create(builder, loc, first, other);
  value = memref::LoadOp::create(builder, loc, memory, ValueRange(place));
  for (int64_t distance = warps / 2; distance > 0; distance /= 2)
    value = combine(node, value, shuffle(value, distance));
  return value;
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
