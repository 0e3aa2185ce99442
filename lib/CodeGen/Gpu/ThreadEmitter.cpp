//===- ThreadEmitter.cpp - a scheduled graph as code of a thread ----------===//

#include "ThreadEmitter.h"
#include "Chip.h"
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

void ThreadEmitter::findLane(Value thread) {
  bool areTogether = schedule.rowsTogether > 1;
  Value size = index(areTogether ? schedule.rowsTogether : schedule.lanes);
  Value inner = arith::RemUIOp::create(builder, loc, thread, size);
  Value outer = arith::DivUIOp::create(builder, loc, thread, size);
  lane = areTogether ? outer : inner;
  rowOfBlock = areTogether ? inner : outer;
}

/// The number of the thread's row; binds the part.
Value ThreadEmitter::findRow(Value block, Scope &top) {
  if (schedule.partAxis >= 0) {
    Value blocks = index(schedule.blocks / schedule.parts);
    Value units = index(schedule.unitsOfPart), all = index(schedule.units);
    insertIn(top);
    Value part = arith::DivUIOp::create(builder, loc, block, blocks);
    block = arith::RemUIOp::create(builder, loc, block, blocks);
    top.env[schedule.partAxis] = part;
    firstUnit = arith::MinUIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, part, units), all);
    endOfUnits = arith::MinUIOp::create(
        builder, loc, arith::AddIOp::create(builder, loc, firstUnit, units),
        all);
  }
  Value rows = index(schedule.rowsOfBlock);
  insertIn(top);
  return arith::AddIOp::create(builder, loc,
                               arith::MulIOp::create(builder, loc, block, rows),
                               rowOfBlock);
}

/// Whether there is a row `number` (`isRow`). Warps without a row sit out.
/// Where threads of a row meet at shuffles or barriers, those behind the last
/// row compute the last one beside it, and store nothing.
Value ThreadEmitter::endRows(Value number, Scope &top, Scope &row) {
  if (schedule.rows % schedule.rowsOfBlock == 0)
    return number;
  Value count = index(schedule.rows), last = index(schedule.rows - 1);
  insertIn(top);
  auto isBelow = [&](Value row) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, row,
                                 count);
  };
  int64_t together = schedule.lanes == 1 ? 1 : kWarp / schedule.lanes;
  if (schedule.rowsTogether == 1 && together > 0) {
    Value size = index(together);
    insertIn(top);
    Value first = number;
    if (together > 1)
      first = arith::SubIOp::create(
          builder, loc, number,
          arith::RemUIOp::create(builder, loc, number, size));
    auto guard = scf::IfOp::create(builder, loc, isBelow(first));
    open[top.block] = guard;
    row.block = guard.thenBlock();
    if (schedule.rows % together == 0)
      return number;
  }
  insertIn(row);
  isRow = isBelow(number);
  return arith::MinUIOp::create(builder, loc, number, last);
}

/// Finds the lane and the row of the thread, and goes on with the row.
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
  findLane(thread);
  Value number = findRow(block, top);
  Scope row = inside(top, top.block);
  row.isRow = true;
  number = endRows(number, top, row);
  insertIn(row);
  split(number, schedule.outer, row.env);
  findUnits(row);
  emitRow(row);
}

void ThreadEmitter::emitRow(Scope &row) {
  for (const Output &output : graph.outputs)
    levels = std::max(levels, schedule.level[output.node]);
  for (int level = 1; level <= levels; ++level)
    reduceLevel(level, row);
  storeRow(row);
  SmallVector<int> outputs = outputsOfPass(levels);
  if (outputs.empty())
    return;
  forUnits(row, {}, [&](const Unit &unit, Scope &scope, Values) {
    Stores stores = prepare(outputs, unit, scope);
    if (levels == 0)
      pending.push_back(std::move(stores));
    else
      write(stores, scope);
    return Values();
  });
}

/// Without reductions nothing is loaded before: all units of a turn are, before
/// any is stored, so that one does not wait for the other.
void ThreadEmitter::writePending(Scope &scope) {
  for (const Stores &stores : pending)
    write(stores, scope);
  pending.clear();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Of the elements that an output has once for several numbers of the axes, the
/// first ones are stored; null: all are. What belongs to units belongs to one
/// part.
Value ThreadEmitter::isFirstOf(const Output &output, Env env, bool ofRow) {
  Value first;
  for (auto [axis, size] : llvm::enumerate(graph.axes)) {
    if (!env[axis] || size == 1 || llvm::is_contained(output.axes, int(axis)))
      continue;
    if (int(axis) == schedule.partAxis && !ofRow)
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
  return schedule.hasRow() && llvm::none_of(output.axes, [&](int axis) {
           return schedule.isOfUnit(axis);
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
  unit.elements = elementsOf(row.env);
  if (schedule.isVectorOfRow)
    unit.elements = {row.env};
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
    bool isHeld = schedule.inRegisters && !schedule.readsOnce;
    return isHeld ? levels : level;
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

ThreadEmitter::Stores ThreadEmitter::prepare(ArrayRef<int> outputs,
                                             const Unit &unit, Scope &scope) {
  Stores stores;
  stores.unit = unit;
  for (int number : outputs) {
    const Output &output = graph.outputs[number];
    bool ofRow = isOfRow(output);
    auto stored = [&](const Values &env) {
      Value value = evaluate(output.node, env, scope);
      insertIn(scope);
      return toStored(value, graph.outputTypes[number]);
    };
    if (unit.elements.size() > 1 && isWide(output.form) &&
        !isFirstOf(output, unit.elements.front(), ofRow)) {
      Values values;
      for (const Values &env : unit.elements)
        values.push_back(stored(env));
      stores.wide.push_back({number, values});
      continue;
    }
    for (const Values &env : unit.elements) {
      Value value = stored(env), place = at(output.form, env);
      stores.single.push_back(
          {value, outputMemory(number), place, isFirstOf(output, env, ofRow)});
    }
  }
  return stores;
}

void ThreadEmitter::write(const Stores &stores, Scope &scope) {
  if (stores.single.empty() && stores.wide.empty())
    return;
  insertIn(scope);
  if (Value isThere = both(isRow, stores.unit.isThere)) {
    auto guard = scf::IfOp::create(builder, loc, isThere);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  for (auto &[number, values] : stores.wide)
    storeWide(number, stores.unit, values);
  for (const Stores::One &one : stores.single) {
    OpBuilder::InsertionGuard guard(builder);
    if (one.isFirst) {
      auto branch = scf::IfOp::create(builder, loc, one.isFirst);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    memref::StoreOp::create(builder, loc, one.value, one.memory,
                            ValueRange(one.place));
  }
}

/// What is written in place of an input is read before: nothing is stored until
/// all of the unit is computed.
void ThreadEmitter::store(ArrayRef<int> outputs, const Unit &unit,
                          Scope &scope) {
  write(prepare(outputs, unit, scope), scope);
}

/// What is reduced is known behind the reductions alone, which threads without
/// a row may pass by.
bool ThreadEmitter::staysInRow(int node) const {
  return schedule.level[node] > 0;
}

/// A reduction is known to all threads of its row that need it.
bool ThreadEmitter::isHeld(int node, Env env, Value &value) {
  if (graph.nodes[node].kind != NodeKind::Reduce)
    return false;
  const Values &values = reduced.at(node);
  size_t k = 0;
  while (values.size() > 1 && env[schedule.vectorAxis] != index(k))
    ++k;
  value = values[k];
  return true;
}

func::FuncOp emitThread(ModuleOp module, StringRef name, const Graph &graph,
                        const GpuSchedule &schedule) {
  return ThreadEmitter(module, graph, schedule).emit(name);
}

} // namespace hocket::codegen
