//===- Combine.cpp - several all_reduces as one ---------------------------===//

#include "hocket/Transforms/Combine.h"
#include "Buckets.h"
#include "hocket/Transforms/Partition.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::combining;

/// What stands from `first` to `last` and needs a result of the members, in
/// program order.
static SmallVector<Operation *> needing(ArrayRef<Operation *> members) {
  llvm::SmallPtrSet<Operation *, 16> reached(members.begin(), members.end());
  SmallVector<Operation *> list;
  for (Operation *op = members.front(); op != members.back();
       op = op->getNextNode()) {
    bool needs = llvm::any_of(op->getOperands(), [&](Value operand) {
      return reached.contains(operand.getDefiningOp());
    });
    if (!needs)
      continue;
    reached.insert(op);
    list.push_back(op);
  }
  return list;
}

/// The members, where the last one stands. What needs them follows.
static void merge(ArrayRef<Operation *> members) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Operation *member : members) {
    operands.push_back(member->getOperand(0));
    types.push_back(member->getResult(0).getType());
    locations.push_back(member->getLoc());
  }
  OpBuilder builder(members.back());
  auto first = cast<spmd::AllReduceOp>(members.front());
  auto merged = spmd::AllReduceManyOp::create(
      builder, members.front()->getLoc(), types, operands, first.getAxes(),
      first.getReduction(), first.getId());
  Operation *behind = merged;
  for (Operation *op : needing(members)) {
    op->moveAfter(behind);
    behind = op;
  }
  for (auto [member, result] : llvm::zip(members, merged.getResults())) {
    member->getResult(0).replaceAllUsesWith(result);
    member->erase();
  }
}

static void renumber(func::FuncOp func) {
  Builder builder(func.getContext());
  for (auto [index, op] : llvm::enumerate(collectivesOf(func)))
    op->setAttr("id", builder.getI64IntegerAttr(index));
}

LogicalResult hocket::combine(ModuleOp module) {
  std::vector<std::vector<spmd::CollectiveOp>> classes;
  std::vector<llvm::BitVector> needed;
  for (auto func : module.getOps<func::FuncOp>()) {
    classes.push_back(collectivesOf(func));
    if (classes.back().size() != classes.front().size())
      return func.emitError()
             << "has " << classes.back().size()
             << " collectives, another class " << classes.front().size();
    std::vector<llvm::BitVector> own = neededBy(func, classes.back());
    if (needed.empty())
      needed = own;
    for (size_t i = 0; i < own.size(); ++i)
      needed[i] |= own[i];
  }
  if (classes.empty() || classes.front().empty())
    return success();
  Planner planner(classes, std::move(needed),
                  module->getAttrOfType<ArrayAttr>("nn.buckets"));
  std::vector<Bucket> buckets = planner.plan();
  if (buckets.empty())
    return success();
  for (const std::vector<spmd::CollectiveOp> &collectives : classes)
    for (const Bucket &bucket : buckets) {
      SmallVector<Operation *> members;
      for (size_t index : bucket)
        members.push_back(collectives[index]);
      merge(members);
    }
  for (auto func : module.getOps<func::FuncOp>())
    renumber(func);
  return checkClasses(module);
}

namespace {
struct CombinePass : PassWrapper<CombinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CombinePass)
  StringRef getArgument() const final { return "hocket-combine"; }
  StringRef getDescription() const final {
    return "make one collective of small all_reduces that need not wait for "
           "each other";
  }
  void runOnOperation() override {
    if (failed(combine(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerCombinePass() { PassRegistration<CombinePass>(); }
