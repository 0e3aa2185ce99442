//===- State.cpp - what lives from step to step ---------------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// The parameter or state of `block` with that name, `except` apart; null if
/// there is none. They stand at the top, so this looks at few operations.
static Operation *findStored(Block *block, StringRef name, Operation *except) {
  for (Operation &op : *block) {
    if (&op == except)
      continue;
    if (auto stored = dyn_cast<StoredOp>(op))
      if (stored.getStoredName() == name)
        return &op;
  }
  return nullptr;
}

llvm::DenseSet<StringAttr> nn::assignedNames(Block &block) {
  llvm::DenseSet<StringAttr> names;
  if (block.empty())
    return names;
  Operation *op = &block.back();
  if (op->hasTrait<OpTrait::IsTerminator>())
    op = op->getPrevNode();
  for (; op && isa<AssignOp>(op); op = op->getPrevNode())
    names.insert(cast<AssignOp>(op).getNameAttr());
  return names;
}

LogicalResult nn::verifyStoredName(Operation *op) {
  StringRef name = cast<StoredOp>(op).getStoredName();
  Operation *other = findStored(op->getBlock(), name, op);
  if (!other) // (C1)
    return success();
  return op->emitOpError() << "'" << name << "' has the name of a "
                           << other->getName().stripDialect();
}

LogicalResult AssignOp::verify() {
  Operation *stored = findStored((*this)->getBlock(), getName(), nullptr);
  if (!stored) // (C1)
    return emitOpError() << "to '" << getName()
                         << "', which is no parameter and no state";
  Value held = stored->getResult(0);
  LayoutAttr from = layoutOf(getX()), to = layoutOf(held);
  if (!haveSameFactors(getX(), held)) // (C2)
    return emitOpError() << "to '" << getName() << "', which is "
                         << describe(held.getType()) << ", of "
                         << describe(getX().getType());
  if (to.withPlacement(from.getSplits(), from.getPartials()) != to) // (C2)
    return emitOpError() << "to '" << getName() << "', which is placed "
                         << describePlacement(to) << ", of a value placed "
                         << describePlacement(from);
  for (Operation *next = (*this)->getNextNode(); next;
       next = next->getNextNode()) {
    if (auto assign = dyn_cast<AssignOp>(next)) {
      if (assign.getName() == getName()) // (C3)
        return assign.emitOpError()
               << "to '" << getName() << "', which is assigned already";
      continue;
    }
    if (!next->hasTrait<OpTrait::IsTerminator>()) // (C4)
      return emitOpError() << "to '" << getName() << "' stands before '"
                           << next->getName()
                           << "'; assignments stand at the end";
    break;
  }
  return success();
}
