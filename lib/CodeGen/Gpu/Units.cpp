//===- Units.cpp - the units of a row that a thread has -------------------===//

#include "ThreadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket::codegen {

/// Of a row that begins anywhere, the elements before the first unit, and how
/// many units there are.
void ThreadEmitter::findUnits(Scope &row) {
  if (!schedule.isShifted())
    return;
  const LinearForm &whole = schedule.shiftedForm(graph);
  LinearForm start; // of the row, what counts of it
  start.offset = whole.offset % schedule.shift;
  for (auto &[axis, coefficient] : whole.terms)
    if (axis != schedule.vectorAxis)
      start.add(axis, coefficient % schedule.shift);
  Value place = at(start, row.env), zero = index(0),
        size = index(schedule.shift), vector = index(schedule.vector),
        count = index(graph.axes[schedule.vectorAxis]);
  insertIn(row);
  before = arith::SubIOp::create(builder, loc, zero, place);
  before = arith::AndIOp::create(
      builder, loc, before,
      arith::SubIOp::create(builder, loc, size, index(1)));
  Value rest = arith::SubIOp::create(builder, loc, count, before);
  endOfUnits = arith::DivUIOp::create(builder, loc, rest, vector);
}

/// The numbers of the axes for each element of a unit.
SmallVector<ThreadEmitter::Values> ThreadEmitter::elementsOf(Env env) {
  SmallVector<Values> elements;
  for (int64_t k = 0; k < schedule.vector; ++k) {
    elements.emplace_back(env);
    if (schedule.vectorAxis < 0)
      continue;
    elements.back()[schedule.vectorAxis] = index(k);
    if (int64_t(unitNumbers.size()) == k)
      unitNumbers.push_back(index(k));
  }
  return elements;
}

/// The same where the first element has this number.
SmallVector<ThreadEmitter::Values> ThreadEmitter::elementsFrom(Value first,
                                                               Env env) {
  SmallVector<Values> elements;
  Values numbers;
  for (int64_t k = 0; k < schedule.vector; ++k) {
    Value number = first, more = index(k);
    if (k > 0)
      number = arith::AddIOp::create(builder, loc, first, more);
    shifted[number.getAsOpaquePointer()] = {shiftedUnits.size(), k};
    numbers.push_back(number);
    elements.emplace_back(env);
    elements.back()[schedule.vectorAxis] = number;
  }
  shiftedUnits.push_back(numbers);
  return elements;
}

ThreadEmitter::Unit ThreadEmitter::unitAt(Value number, bool mayEnd,
                                          Scope &scope) {
  Unit unit;
  if (mayEnd) {
    Value one = index(1), end = endOfUnits ? endOfUnits : index(schedule.units),
          last = index(schedule.units - 1);
    insertIn(scope);
    unit.isThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, number, end);
    if (!schedule.readsOnce) {
      if (schedule.isShifted())
        last = arith::SubIOp::create(builder, loc, end, one);
      number = arith::MinUIOp::create(builder, loc, number, last);
    }
  }
  Values env(scope.env);
  if (schedule.isShifted()) {
    Value vector = index(schedule.vector);
    insertIn(scope);
    Value first = arith::MulIOp::create(builder, loc, number, vector);
    unit.elements =
        elementsFrom(arith::AddIOp::create(builder, loc, before, first), env);
    return unit;
  }
  split(number, schedule.row, env);
  unit.elements = elementsOf(env);
  return unit;
}

/// `turn`: the number of lane 0's unit in slot 0, from the part's first one on;
/// null: 0. `mayEnd`: there may be no such unit.
ThreadEmitter::Unit ThreadEmitter::unitOfSlot(int64_t slot, Value turn,
                                              bool mayEnd, Scope &scope) {
  Value number = index(slot * schedule.lanes);
  insertIn(scope);
  auto add = [&](Value more) {
    number = arith::AddIOp::create(builder, loc, more, number);
  };
  if (turn)
    add(turn);
  if (firstUnit)
    add(firstUnit);
  if (schedule.lanes > 1)
    add(lane);
  return unitAt(number, mayEnd, scope);
}

/// One of the elements before and behind the units of a row that begins
/// anywhere, each a unit of its own.
ThreadEmitter::Unit ThreadEmitter::unitAtEdge(int64_t slot, Scope &scope) {
  Value more = index(slot * schedule.lanes), vector = index(schedule.vector),
        last = index(graph.axes[schedule.vectorAxis] - 1),
        all = index(graph.axes[schedule.vectorAxis]);
  insertIn(scope);
  Value number = arith::AddIOp::create(builder, loc, lane, more);
  Value between = arith::MulIOp::create(builder, loc, endOfUnits, vector);
  Value count = arith::SubIOp::create(builder, loc, all, between);
  Unit unit;
  unit.isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       number, count);
  Value isBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number, before);
  Value behind = arith::AddIOp::create(builder, loc, number, between);
  behind = arith::MinUIOp::create(builder, loc, behind, last);
  unit.elements.emplace_back(scope.env);
  unit.elements.back()[schedule.vectorAxis] =
      arith::SelectOp::create(builder, loc, isBefore, number, behind);
  return unit;
}

/// What is held in registers has the same numbers, and so the same values, in
/// each pass.
ThreadEmitter::Unit ThreadEmitter::heldUnit(size_t number,
                                            llvm::function_ref<Unit()> make) {
  if (schedule.readsOnce || !schedule.inRegisters)
    return make();
  if (heldUnits.size() == number)
    heldUnits.push_back(make());
  return heldUnits[number];
}

/// What is read once is not computed at all where there is no unit; else what
/// is loaded is zero there, so that what is held of a row has values.
ThreadEmitter::Values ThreadEmitter::ifThere(Unit unit, Scope &scope,
                                             Values carried, OfUnit body) {
  unitBlock = scope.block;
  if (!unit.isThere || !schedule.readsOnce) {
    guard = unit.isThere;
    carried = body(unit, scope, carried);
    guard = {};
    return carried;
  }
  writePending(scope);
  insertIn(scope);
  auto branch = scf::IfOp::create(builder, loc, ValueRange(carried).getTypes(),
                                  unit.isThere, true);
  Operation *&child = open[scope.block], *above = child;
  child = branch;
  Scope inner = inside(scope, branch.thenBlock());
  unitBlock = inner.block;
  unit.isThere = {};
  Values next = body(unit, inner, carried);
  writePending(inner);
  if (!carried.empty()) {
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, loc, next);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, carried);
  }
  if (above)
    open[scope.block] = above;
  else
    open.erase(scope.block);
  return Values(branch.getResults());
}

ThreadEmitter::Values ThreadEmitter::forSlots(Scope &row, Values carried,
                                              OfUnit body) {
  // Where a row begins anywhere, some have a few units less.
  int64_t least = schedule.units - schedule.shift / schedule.vector - 1;
  if (!schedule.isShifted())
    least =
        std::min(schedule.unitsOfPart,
                 schedule.units - (schedule.parts - 1) * schedule.unitsOfPart);
  for (int64_t slot = 0; slot < schedule.slots; ++slot) {
    bool mayEnd = (slot + 1) * schedule.lanes > least;
    Unit unit =
        heldUnit(slot, [&] { return unitOfSlot(slot, {}, mayEnd, row); });
    carried = ifThere(unit, row, carried, body);
  }
  return carried;
}

/// Turns of the loop in which all lanes have all their units; `end` is behind
/// them, as lane 0 counts.
ThreadEmitter::Values ThreadEmitter::forTurns(Value end, Scope &row,
                                              Values carried, OfUnit body) {
  Value zero = index(0), step = index(schedule.unrolled * schedule.lanes);
  insertIn(row);
  auto loop = scf::ForOp::create(builder, loc, zero, end, step, carried);
  open[row.block] = loop;
  Scope inner = inside(row, loop.getBody());
  unitBlock = inner.block;
  Values next(loop.getRegionIterArgs());
  for (int64_t slot = 0; slot < schedule.unrolled; ++slot)
    next = body(unitOfSlot(slot, loop.getInductionVar(), false, inner), inner,
                next);
  writePending(inner);
  if (!carried.empty()) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
  }
  open.erase(row.block);
  return Values(loop.getResults());
}

/// Of the part, or of the row.
Value ThreadEmitter::countUnits(Scope &row) {
  insertIn(row);
  if (firstUnit)
    return arith::SubIOp::create(builder, loc, endOfUnits, firstUnit);
  return endOfUnits ? endOfUnits : index(schedule.units);
}

ThreadEmitter::Values ThreadEmitter::forLoop(Scope &row, Values carried,
                                             OfUnit body) {
  int64_t turn = schedule.unrolled * schedule.lanes;
  Value size = index(turn), count = countUnits(row);
  insertIn(row);
  Value rest = arith::RemUIOp::create(builder, loc, count, size);
  Value end = arith::SubIOp::create(builder, loc, count, rest);
  carried = forTurns(end, row, carried, body);
  for (int64_t slot = 0; slot < schedule.unrolled; ++slot)
    if (endOfUnits || schedule.units % turn > slot * schedule.lanes)
      carried = ifThere(unitOfSlot(slot, end, true, row), row, carried, body);
  return carried;
}

ThreadEmitter::Values ThreadEmitter::forUnits(Scope &row, Values carried,
                                              OfUnit body) {
  carried = schedule.inRegisters ? forSlots(row, carried, body)
                                 : forLoop(row, carried, body);
  int64_t edges = schedule.shift ? schedule.shift + schedule.vector - 2 : 0;
  for (int64_t slot = 0; slot * schedule.lanes < edges; ++slot) {
    Unit unit =
        heldUnit(schedule.slots + slot, [&] { return unitAtEdge(slot, row); });
    carried = ifThere(unit, row, carried, body);
  }
  writePending(row);
  return carried;
}

} // namespace hocket::codegen
