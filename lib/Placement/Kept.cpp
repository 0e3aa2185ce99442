//===- Kept.cpp - recompute, save: what the backward keeps ----------------===//

#include "Locations.h"
#include "Placer.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::readRecompute(sched::RecomputeOp recompute) {
  for (PathNode *node : resolve(recompute, recompute.getPattern())) {
    if (node->values.empty()) {
      problems
          .addAt(recompute, "'" + node->path + "' computes nothing", node->path)
          .note("recompute takes modules and bindings of a forward");
      return;
    }
    recomputed.push_back(node);
  }
}

void Placer::readSave(sched::SaveOp save) {
  for (PathNode *node : resolve(save, save.getPattern()))
    saved.emplace_back(save, node);
}

static void mark(Operation *op) {
  if (!isa<nn::ParameterOp, func::ReturnOp>(op))
    op->setAttr(nn::kRecompute, UnitAttr::get(op->getContext()));
}

/// A module is inlined in one run of operations, from the first value of its
/// own to its result.
static void markModule(nn::ValueOp result) {
  StringRef path = result.getPath();
  Operation *first = result;
  for (Operation *op = result->getPrevNode(); op; op = op->getPrevNode()) {
    auto value = dyn_cast<nn::ValueOp>(op);
    if (!value)
      continue;
    if (value.getPath() == path) // an earlier call
      break;
    if (isAtOrUnder(value.getPath(), path))
      first = op;
  }
  for (Operation *op = first; op != result; op = op->getNextNode())
    mark(op);
  mark(result);
  for (Operation *user : result->getUsers()) // syncs of the result
    if (isa<nn::RedistributeOp>(user))
      mark(user);
}

/// A binding, and what computes it from values with names.
static void markBinding(nn::ValueOp binding) {
  SmallVector<Operation *> pending{binding};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (op->hasAttr(nn::kRecompute))
      continue;
    mark(op);
    for (Value operand : op->getOperands())
      if (Operation *from = operand.getDefiningOp())
        if (!isa<nn::ValueOp, nn::ParameterOp>(from))
          pending.push_back(from);
  }
}

void Placer::markKept() {
  for (PathNode *node : recomputed)
    for (nn::ValueOp value : node->values)
      if (value.getRole() == nn::ValueRole::Result)
        markModule(value);
      else
        markBinding(value);
  for (auto &request : saved) {
    sched::SaveOp directive = request.first;
    PathNode *node = request.second;
    bool any = false;
    func.walk([&](nn::RedistributeOp gather) {
      if (gather.getKind() != "all_gather" ||
          !isAtOrUnder(modelPath(gather), node->path))
        return;
      any = true;
      if (directive.getForm() == "gathered")
        gather->setAttr(nn::kGathered, UnitAttr::get(func.getContext()));
    });
    if (!any)
      problems
          .addAt(directive,
                 "nothing is gathered at or under '" + node->path + "'",
                 node->path)
          .note("save says how the backward keeps what an all_gather made; "
                "leave the line out");
  }
}
