//===- Accesses.cpp - elements that lie next to each other, at once -------===//

#include "Chip.h"
#include "ThreadEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hocket::codegen {

/// Whether the elements of a unit lie next to each other; they are aligned
/// then, or the schedule would have no such units.
bool ThreadEmitter::isWide(const LinearForm &form) const {
  return schedule.vectorAxis >= 0 && form.of(schedule.vectorAxis) == 1;
}

int64_t ThreadEmitter::elementsOfAccess(DType type) const {
  return std::min(schedule.vector, kAccessBytes / plan::byteSize(type));
}

/// What varies along a row is loaded only where the unit in hand is there.
Value ThreadEmitter::ifGuarded(int number, Type type, Scope &scope,
                               llvm::function_ref<Value()> load) {
  bool isOfUnit = llvm::any_of(graph.nodes[number].axes, [&](int axis) {
    return schedule.isOfUnit(axis);
  });
  insertIn(scope);
  if (!guard || !isOfUnit || scope.block != unitBlock)
    return load();
  auto branch = scf::IfOp::create(builder, loc, TypeRange(type), guard, true);
  OpBuilder::InsertionGuard inGuard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, load());
  builder.setInsertionPointToEnd(branch.elseBlock());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  scf::YieldOp::create(builder, loc, zero);
  return branch.getResult(0);
}

/// The numbers of the axes for the first of the `count` elements that one
/// access loads with the one that is asked for, and which of them that is (-1:
/// it is none of a unit).
ThreadEmitter::Values ThreadEmitter::firstOfAccess(Env env, int64_t count,
                                                   int64_t &k) const {
  Values first(env);
  Value &number = first[schedule.vectorAxis];
  if (schedule.isShifted()) {
    auto known = shifted.find(number.getAsOpaquePointer());
    k = known == shifted.end() ? -1 : known->second.second;
    if (k >= 0)
      number = shiftedUnits[known->second.first][k / count * count];
    return first;
  }
  const Values &numbers = unitNumbers;
  k = llvm::find(numbers, number) - numbers.begin();
  number = numbers[k / count * count];
  return first;
}

/// Loads the elements around the one that is asked for with it.
Value ThreadEmitter::loadInput(int number, Env env, Scope &scope) {
  const Node &node = graph.nodes[number];
  DType type = graph.inputTypes[node.argument];
  int64_t count = elementsOfAccess(type), k = -1;
  Values first;
  if (isWide(node.form) && count > 1 && scope.block == unitBlock)
    first = firstOfAccess(env, count, k);
  if (k < 0)
    return ifGuarded(number, storedTypeOf(type), scope, [&] {
      return ValueEmitter::loadInput(number, env, scope);
    });
  SmallVector<void *, 6> where = {scope.block};
  for (auto &term : node.form.terms)
    where.push_back(first[term.first].getAsOpaquePointer());
  Value &access = loaded[{number, where}];
  auto vector = VectorType::get({count}, storedTypeOf(type));
  if (!access)
    access = ifGuarded(number, vector, scope, [&]() -> Value {
      return vector::LoadOp::create(
          builder, loc, vector, inputMemory(node.argument),
          ValueRange(at(node.form, first)), /*nontemporal=*/false,
          llvm::MaybeAlign(count * plan::byteSize(type)));
    });
  insertIn(scope);
  return vector::ExtractOp::create(builder, loc, access, k % count);
}

/// Stores the values of a unit's elements.
void ThreadEmitter::storeWide(int number, const Unit &unit,
                              ArrayRef<Value> values) {
  const Output &output = graph.outputs[number];
  DType type = graph.outputTypes[number];
  int64_t count = elementsOfAccess(type);
  auto vector = VectorType::get({count}, storedTypeOf(type));
  for (int64_t k = 0; k < int64_t(values.size()); k += count) {
    Value place = at(output.form, unit.elements[k]);
    Value elements = vector::FromElementsOp::create(builder, loc, vector,
                                                    values.slice(k, count));
    vector::StoreOp::create(builder, loc, elements, outputMemory(number),
                            ValueRange(place), /*nontemporal=*/false,
                            llvm::MaybeAlign(count * plan::byteSize(type)));
  }
}

} // namespace hocket::codegen
