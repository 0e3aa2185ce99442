//===- Combine.cpp - several collectives as one ---------------------------===//

#include "hocket/Transforms/Combine.h"
#include "Buckets.h"
#include "dialects/Nn/Program.h"
#include "hocket/Placement/Expect.h"
#include "hocket/Transforms/Partition.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

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

static spmd::CutAttr cutOf(Operation *member) {
  auto cut = [&](auto op) {
    return spmd::CutAttr::get(op.getContext(), op.getDim(), op.getFactor(),
                              op.getOffsets(), op.getSizes());
  };
  if (auto exchange = dyn_cast<spmd::AllToAllOp>(member))
    return exchange.getCut();
  if (auto scatter = dyn_cast<spmd::ReduceScatterOp>(member))
    return cut(scatter);
  return cut(cast<spmd::AllGatherOp>(member));
}

/// One collective of what the members move.
static Operation *createMerged(OpBuilder &builder,
                               ArrayRef<Operation *> members) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Attribute> cuts, toCuts;
  for (Operation *member : members) {
    operands.push_back(member->getOperand(0));
    types.push_back(member->getResult(0).getType());
    if (!isa<spmd::AllReduceOp>(member))
      cuts.push_back(cutOf(member));
    if (auto exchange = dyn_cast<spmd::AllToAllOp>(member))
      toCuts.push_back(exchange.getToCut());
  }
  Location loc = members.front()->getLoc();
  ArrayAttr list = builder.getArrayAttr(cuts);
  return TypeSwitch<Operation *, Operation *>(members.front())
      .Case([&](spmd::AllReduceOp first) {
        return spmd::AllReduceManyOp::create(
            builder, loc, types, operands, first.getAxes(),
            first.getReduction(), first.getId());
      })
      .Case([&](spmd::ReduceScatterOp first) {
        return spmd::ReduceScatterManyOp::create(
            builder, loc, types, operands, first.getAxes(),
            first.getReduction(), list, first.getId());
      })
      .Case([&](spmd::AllGatherOp first) {
        return spmd::AllGatherManyOp::create(builder, loc, types, operands,
                                             first.getAxes(), list,
                                             first.getId());
      })
      .Case([&](spmd::AllToAllOp first) {
        return spmd::AllToAllManyOp::create(
            builder, loc, types, operands, first.getAxes(), list,
            builder.getArrayAttr(toCuts), first.getId());
      })
      .Default(nullptr);
}

/// What makes a value, to before `place`.
static void hoist(Value value, Operation *place) {
  Operation *op = value.getDefiningOp();
  if (!op || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    hoist(operand, place);
  op->moveBefore(place);
}

/// The members as one, where the last one stands, or, if `isEarly`, the first.
/// What needs a result follows.
static void merge(ArrayRef<Operation *> members, bool isEarly) {
  if (isEarly)
    for (Operation *member : members)
      hoist(member->getOperand(0), members.front());
  OpBuilder builder(isEarly ? members.front() : members.back());
  Operation *merged = createMerged(builder, members);
  SmallVector<Attribute> origins;
  for (Operation *member : members)
    origins.push_back(LocationAttr(member->getLoc()));
  merged->setAttr(spmd::kOrigins, builder.getArrayAttr(origins));
  Operation *behind = merged;
  if (!isEarly)
    for (Operation *op : needing(members)) {
      op->moveAfter(behind);
      behind = op;
    }
  for (auto [member, result] : llvm::zip(members, merged->getResults())) {
    member->getResult(0).replaceAllUsesWith(result);
    member->erase();
  }
}

static void renumber(spmd::FuncOp func) {
  Builder builder(func.getContext());
  int64_t next = 0;
  for (Operation &op : func.getBody().front())
    if (isa<spmd::CollectiveOp, spmd::StartOp>(op)) {
      op.setAttr("id", builder.getI64IntegerAttr(next));
      next += !isa<spmd::StartOp>(op); // has the number of what it starts
    }
}

LogicalResult hocket::combine(ModuleOp module) {
  std::vector<std::vector<spmd::CollectiveOp>> classes;
  std::vector<std::vector<Operation *>> attentions;
  std::vector<llvm::BitVector> needed;
  for (auto func : module.getOps<spmd::FuncOp>()) {
    classes.push_back(collectivesOf(func));
    attentions.push_back(attentionsOf(func));
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
  nn::PlacementOp placement = nn::placementOf(module);
  Planner planner(classes, std::move(attentions), std::move(needed),
                  placement ? placement.getBuckets() : ArrayAttr());
  std::vector<Bucket> buckets = planner.plan();
  if (buckets.empty())
    return success();
  for (const std::vector<spmd::CollectiveOp> &collectives : classes)
    for (const Bucket &bucket : buckets) {
      SmallVector<Operation *> members;
      for (size_t index : bucket)
        members.push_back(collectives[index]);
      Kind kind = keyOf(cast<spmd::CollectiveOp>(members.front())).kind;
      merge(members, standsEarly(kind));
    }
  for (auto func : module.getOps<spmd::FuncOp>())
    renumber(func);
  return checkClasses(module);
}

namespace {
struct CombinePass : PassWrapper<CombinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CombinePass)
  StringRef getArgument() const final { return "hocket-combine"; }
  StringRef getDescription() const final {
    return "make one collective of those that are alike and need not wait for "
           "each other";
  }
  void runOnOperation() override {
    if (failed(combine(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerCombinePass() { PassRegistration<CombinePass>(); }
