//===- Phases.cpp - what is computed at load time, what is a view ---------===//

#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Transforms/Fuse.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace hocket;

bool hocket::isViewOp(Operation *op) {
  return isa<nn::RearrangeOp, nn::SliceOp, spmd::SliceOp, nn::BroadcastOp,
             nn::ValueOp>(op);
}

DenseSet<Value> hocket::loadTimeValues(Block &body) {
  DenseSet<Value> values;
  DenseSet<StringAttr> assigned = nn::assignedNames(body);
  for (Operation &op : body.without_terminator()) {
    if (isa<spmd::CollectiveOp, spmd::StateOp>(op))
      continue;
    // A step changes it.
    auto parameter = dyn_cast<spmd::ParameterOp>(op);
    if (parameter && assigned.contains(parameter.getPathAttr()))
      continue;
    bool known = llvm::all_of(op.getOperands(), [&](Value operand) {
      return values.contains(operand);
    });
    if (known)
      values.insert(op.result_begin(), op.result_end());
  }
  return values;
}
