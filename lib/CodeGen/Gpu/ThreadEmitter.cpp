//===- ThreadEmitter.cpp - a scheduled graph as code of a thread ----------===//

#include "ThreadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::codegen {

ThreadEmitter::ThreadEmitter(ModuleOp module, const Graph &graph,
                             const GpuSchedule &schedule)
    : ValueEmitter(module, graph, /*storesBits=*/false), schedule(schedule) {}

Value ThreadEmitter::both(Value a, Value b) {
  return a && b ? Value(arith::AndIOp::create(builder, loc, a, b)) : a ? a : b;
}

func::FuncOp ThreadEmitter::emit(StringRef name) {
  declare(name, {});
  Scope top;
  top.block = func.addEntryBlock();
  top.env.resize(graph.axes.size());
  builder.setInsertionPointToEnd(top.block);
  func::ReturnOp::create(builder, loc);
  findThread(top);
  return func;
}

/// Numbers of the axes that a flat number stands for, into `env`; what is left
/// belongs to no axis.
Value ThreadEmitter::split(Value number, ArrayRef<int> axes, Values &env) {
  for (auto [i, axis] : llvm::enumerate(llvm::reverse(axes))) {
    if (i + 1 == axes.size()) {
      env[axis] = number;
      break;
    }
    Value size = index(graph.axes[axis]);
    env[axis] = arith::RemUIOp::create(builder, loc, number, size);
    number = arith::DivUIOp::create(builder, loc, number, size);
  }
  return number;
}

/// Finds the lane and the row of the thread, and goes on with the row. Threads
/// behind the last row sit out, or, where a row has several threads that meet
/// at barriers and shuffles, compute the last row and store nothing.
void ThreadEmitter::findThread(Scope &top) {
  for (auto [axis, size] : llvm::enumerate(graph.axes))
    if (size == 1)
      top.env[axis] = index(0);
  insertIn(top);
  auto special = [&](auto op) -> Value {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        op);
  };
  Type i32 = builder.getI32Type();
  Value thread = special(NVVM::ThreadIdXOp::create(builder, loc, i32));
  Value block = special(NVVM::BlockIdXOp::create(builder, loc, i32));
  Value lanes = index(schedule.lanes), rows = index(schedule.rowsOfBlock);
  insertIn(top);
  lane = arith::RemUIOp::create(builder, loc, thread, lanes);
  rowOfBlock = arith::DivUIOp::create(builder, loc, thread, lanes);
  Value number = arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, block, rows),
      rowOfBlock);
  Scope row = inside(top, top.block);
  row.isRow = true;
  if (schedule.rows % schedule.rowsOfBlock != 0) {
    Value count = index(schedule.rows), last = index(schedule.rows - 1);
    insertIn(top);
    isRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                  number, count);
    if (schedule.lanes == 1) {
      auto guard = scf::IfOp::create(builder, loc, isRow);
      open[top.block] = guard;
      row.block = guard.thenBlock();
      isRow = {};
    } else {
      number = arith::MinUIOp::create(builder, loc, number, last);
    }
  }
  insertIn(row);
  split(number, schedule.outer, row.env);
  emitRow(row);
}

void ThreadEmitter::emitRow(Scope &row) {
  for (const Output &output : graph.outputs)
    levels = std::max(levels, schedule.level[output.node]);
  for (int level = 1; level <= levels; ++level)
    reduceLevel(level, row);
  storeRow(row);
  forUnits(row, {}, [&](const Unit &unit, Scope &scope, Values) {
    store(outputsOfPass(levels), unit, scope);
    return Values();
  });
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

ThreadEmitter::Unit ThreadEmitter::unitAt(Value number, bool mayEnd,
                                          Scope &scope) {
  Unit unit;
  if (mayEnd) {
    Value count = index(schedule.units), last = index(schedule.units - 1);
    insertIn(scope);
    unit.isThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, number, count);
    number = arith::MinUIOp::create(builder, loc, number, last);
  }
  Values env(scope.env);
  split(number, schedule.row, env);
  for (int64_t k = 0; k < schedule.vector; ++k) {
    if (schedule.vectorAxis >= 0)
      env[schedule.vectorAxis] = index(k);
    unit.elements.push_back(env);
  }
  return unit;
}

ThreadEmitter::Unit ThreadEmitter::unitOfSlot(int64_t slot, Scope &scope) {
  Value number = lane;
  if (schedule.lanes == 1) {
    number = index(slot);
  } else if (slot != 0) {
    Value before = index(slot * schedule.lanes);
    insertIn(scope);
    number = arith::AddIOp::create(builder, loc, before, lane);
  }
  insertIn(scope);
  return unitAt(number, (slot + 1) * schedule.lanes > schedule.units, scope);
}

ThreadEmitter::Values ThreadEmitter::forUnits(Scope &row, Values carried,
                                              OfUnit body) {
  if (schedule.inRegisters) {
    unitBlock = row.block;
    for (int64_t slot = 0; slot < schedule.slots; ++slot)
      carried = body(unitOfSlot(slot, row), row, carried);
    return carried;
  }
  Value zero = index(0), end = index(schedule.slots * schedule.lanes),
        step = index(schedule.lanes);
  insertIn(row);
  auto loop = scf::ForOp::create(builder, loc, zero, end, step, carried);
  open[row.block] = loop;
  Scope inner = inside(row, loop.getBody());
  unitBlock = inner.block;
  insertIn(inner);
  Value number =
      arith::AddIOp::create(builder, loc, loop.getInductionVar(), lane);
  bool mayEnd = schedule.units % schedule.lanes != 0;
  Values next = body(unitAt(number, mayEnd, inner), inner,
                     Values(loop.getRegionIterArgs()));
  if (!carried.empty()) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
  }
  open.erase(row.block);
  return Values(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Of the elements that an output has once for several numbers of the axes, the
/// first ones are stored; null: all are.
Value ThreadEmitter::isFirstOf(const Output &output, Env env) {
  Value first;
  for (auto [axis, size] : llvm::enumerate(graph.axes)) {
    if (!env[axis] || size == 1 || llvm::is_contained(output.axes, int(axis)))
      continue;
    Value zero = index(0);
    first = both(first,
                 arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       env[axis], zero));
  }
  return first;
}

/// Whether the output has one element for each row, of which there are some
/// although it may have no units.
bool ThreadEmitter::isOfRow(const Output &output) const {
  return !schedule.row.empty() && llvm::none_of(output.axes, [&](int axis) {
    return axis == schedule.vectorAxis ||
           llvm::is_contained(schedule.row, axis);
  });
}

void ThreadEmitter::storeRow(Scope &row) {
  SmallVector<int> outputs;
  for (auto [number, output] : llvm::enumerate(graph.outputs))
    if (isOfRow(output))
      outputs.push_back(number);
  if (outputs.empty())
    return;
  Unit unit;
  unit.elements.push_back(row.env);
  if (schedule.lanes > 1) {
    Value zero = index(0);
    insertIn(row);
    unit.isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         lane, zero);
  }
  store(outputs, unit, row);
}

/// The outputs of units that are stored in a pass over the row, of which the
/// last one reduces nothing. Where each pass loads the row again, an output is
/// stored in the first that can compute it; but what lies where an input does
/// only in the last, and in the last but one if that stores all there is.
SmallVector<int> ThreadEmitter::outputsOfPass(int pass) const {
  auto passOf = [&](int number) {
    int level = schedule.level[graph.outputs[number].node];
    return schedule.inRegisters ? levels : level;
  };
  SmallVector<int> units;
  for (auto [number, output] : llvm::enumerate(graph.outputs))
    if (!isOfRow(output))
      units.push_back(number);
  bool endsEarly =
      llvm::all_of(units, [&](int number) { return passOf(number) < levels; });
  int last = endsEarly ? levels - 1 : levels;
  llvm::erase_if(units, [&](int number) {
    bool isInPlace = llvm::any_of(
        graph.inPlace, [&](const auto &pair) { return pair.second == number; });
    return (isInPlace ? last : passOf(number)) != pass;
  });
  return units;
}

/// What is written in place of an input is read before: nothing is stored until
/// all of the unit is computed.
void ThreadEmitter::store(ArrayRef<int> outputs, const Unit &unit,
                          Scope &scope) {
  struct Store {
    Value value, memory, place, isFirst;
  };
  SmallVector<Store> stores;
  SmallVector<std::pair<int, Values>> wide;
  for (int number : outputs) {
    const Output &output = graph.outputs[number];
    if (unit.elements.size() > 1 && isWide(output.form) &&
        !isFirstOf(output, unit.elements.front())) {
      Values values;
      for (const Values &env : unit.elements) {
        Value value = evaluate(output.node, env, scope);
        insertIn(scope);
        values.push_back(toStored(value, graph.outputTypes[number]));
      }
      wide.push_back({number, values});
      continue;
    }
    for (const Values &env : unit.elements) {
      Value value = evaluate(output.node, env, scope);
      insertIn(scope);
      value = toStored(value, graph.outputTypes[number]);
      Value place = at(output.form, env);
      stores.push_back(
          {value, outputMemory(number), place, isFirstOf(output, env)});
    }
  }
  if (stores.empty() && wide.empty())
    return;
  insertIn(scope);
  if (Value isThere = both(isRow, unit.isThere)) {
    auto guard = scf::IfOp::create(builder, loc, isThere);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  for (auto &[number, values] : wide)
    storeWide(number, unit, values);
  for (const Store &store : stores) {
    OpBuilder::InsertionGuard guard(builder);
    if (store.isFirst) {
      auto branch = scf::IfOp::create(builder, loc, store.isFirst);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    memref::StoreOp::create(builder, loc, store.value, store.memory,
                            ValueRange(store.place));
  }
}

/// What is reduced is known behind the reductions alone, which threads without
/// a row may pass by.
bool ThreadEmitter::staysInRow(int node) const {
  return schedule.level[node] > 0;
}

/// A reduction is known to all threads of its row.
bool ThreadEmitter::isHeld(int node, Env, Value &value) {
  if (graph.nodes[node].kind != NodeKind::Reduce)
    return false;
  value = reduced.at(node);
  return true;
}

func::FuncOp emitThread(ModuleOp module, StringRef name, const Graph &graph,
                        const GpuSchedule &schedule) {
  return ThreadEmitter(module, graph, schedule).emit(name);
}

} // namespace hocket::codegen
