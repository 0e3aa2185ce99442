//===- Accesses.cpp - elements that lie next to each other, at once -------===//

#include "ThreadEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hocket::codegen {

static constexpr int64_t kAccessBytes = 16;

/// Whether the elements of a unit lie next to each other; they are aligned
/// then, or the schedule would have no such units.
bool ThreadEmitter::isWide(const LinearForm &form) const {
  return schedule.vectorAxis >= 0 && form.of(schedule.vectorAxis) == 1;
}

int64_t ThreadEmitter::elementsOfAccess(DType type) const {
  return std::min(schedule.vector, kAccessBytes / plan::byteSize(type));
}

/// Loads the elements around the one that is asked for with it.
Value ThreadEmitter::loadInput(int number, Env env, Scope &scope) {
  const Node &node = graph.nodes[number];
  DType type = graph.inputTypes[node.argument];
  int64_t count = elementsOfAccess(type);
  if (!isWide(node.form) || count == 1 || scope.block != unitBlock)
    return ValueEmitter::loadInput(number, env, scope);
  int64_t k = 0;
  while (env[schedule.vectorAxis] != index(k))
    ++k;
  Values first(env);
  first[schedule.vectorAxis] = index(k / count * count);
  SmallVector<void *, 6> where = {scope.block};
  for (auto &term : node.form.terms)
    where.push_back(first[term.first].getAsOpaquePointer());
  Value &access = loaded[{number, where}];
  insertIn(scope);
  if (!access) {
    auto vector = VectorType::get({count}, storedTypeOf(type));
    access = vector::LoadOp::create(
        builder, loc, vector, inputMemory(node.argument),
        ValueRange(at(node.form, first)), /*nontemporal=*/false,
        llvm::MaybeAlign(count * plan::byteSize(type)));
  }
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
