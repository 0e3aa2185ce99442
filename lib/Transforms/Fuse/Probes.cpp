//===- Probes.cpp - asks once whether equal groups can be a kernel --------===//

#include "Probes.h"
#include "Groups.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace hocket;

static constexpr auto kFlags = OperationEquivalence::IgnoreLocations;

/// Of operations, their attributes and types; values by their numbers.
static uint64_t hashOf(Block &body) {
  llvm::DenseMap<Value, unsigned> numbers;
  auto numberOf = [&](Value value) {
    return llvm::hash_value(
        numbers.try_emplace(value, numbers.size()).first->second);
  };
  llvm::hash_code hash = llvm::hash_value(body.getNumArguments());
  for (Operation &op : body)
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                        &op, numberOf, numberOf, kFlags));
  return hash;
}

Probes::Answer Probes::of(ArrayRef<Operation *> group) {
  auto region = std::make_unique<Region>();
  Block &body = region->emplaceBlock();
  SmallVector<Value> inputs, outputs;
  buildBody(Group(group), body, inputs, outputs);
  SmallVector<Known, 1> &alike = known[hashOf(body)];
  for (Known &one : alike)
    if (OperationEquivalence::isRegionEquivalentTo(one.body.get(), region.get(),
                                                   kFlags))
      return one.answer;
  Answer answer;
  answer.extent = 1;
  answer.isKernel = codegen::whyNotKernel(body, &answer.extent).empty();
  alike.push_back({std::move(region), answer});
  return answer;
}
