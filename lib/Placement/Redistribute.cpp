//===- Redistribute.cpp - moving a value to another layout ----------------===//

#include "Relayout.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/OpPlacer.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static bool haveSameAxes(ArrayRef<nn::SplitAttr> a, ArrayRef<nn::SplitAttr> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return std::get<0>(pair).getAxis() == std::get<1>(pair).getAxis();
         });
}

Value OpPlacer::move(OpBuilder &builder, Location loc, Value value,
                     RedistributeKind kind, ArrayRef<StringAttr> axes,
                     nn::LayoutAttr target) {
  SmallVector<StringRef> names;
  for (StringAttr axis : axes)
    names.push_back(axis.getValue());
  // Ranks that hold the same of a dim move that among themselves. Terms stay
  // what they are, whoever of the same axes is to own their sum; an all_to_all
  // from there adds them up.
  nn::LayoutAttr from = nn::layoutOf(value);
  for (nn::HeldAttr held : from.getHeld()) {
    auto before = from.splitsOf(held.getDim(), held.getFactor()),
         after = target.splitsOf(held.getDim(), held.getFactor());
    if (before == after || (held.getTerms() && haveSameAxes(before, after)))
      target = target.holding(held);
    else if (kind != RedistributeKind::AllToAll || !held.getTerms())
      from = from.owning(held.getDim(), held.getFactor());
  }
  value = nn::holdAs(builder, loc, value, from);
  auto type = nn::withLayout(cast<RankedTensorType>(value.getType()), target);
  Value moved = nn::RedistributeOp::create(builder, loc, type, value, kind,
                                           builder.getStrArrayAttr(names),
                                           /*root=*/nullptr, /*hook=*/nullptr);
  if (freeValues.contains(value))
    markFree(moved);
  made.insert(moved.getDefiningOp());
  return moved;
}

Value OpPlacer::refactor(OpBuilder &builder, Location loc, Value value,
                         nn::LayoutAttr target) {
  Value made = withFactorsOf(builder, loc, value, target);
  (void)place(made.getDefiningOp());
  return made;
}

static bool haveSameFactors(nn::LayoutAttr a, nn::LayoutAttr b) {
  for (auto [x, y] : llvm::zip_equal(a.getDims(), b.getDims())) {
    auto sizeOf = [](nn::FactorAttr factor) { return factor.getSize(); };
    if (!llvm::equal(llvm::map_range(x.getFactors(), sizeOf),
                     llvm::map_range(y.getFactors(), sizeOf)))
      return false;
  }
  return true;
}

namespace {
/// The axes that have to leave a factor, and those that have to come.
struct FactorPlan {
  int64_t dim, factor;
  SmallVector<StringAttr> leave;
  SmallVector<nn::SplitAttr> come;
};
} // namespace

static SmallVector<FactorPlan> planFactors(nn::LayoutAttr from,
                                           nn::LayoutAttr to) {
  SmallVector<FactorPlan> plans;
  for (auto [dim, attr] : llvm::enumerate(from.getDims()))
    for (size_t factor = 0; factor < attr.getFactors().size(); ++factor) {
      auto has = from.splitsOf(dim, factor), wants = to.splitsOf(dim, factor);
      size_t same = 0;
      while (same < has.size() && same < wants.size() &&
             has[same] == wants[same])
        ++same;
      FactorPlan plan{int64_t(dim), int64_t(factor), {}, {}};
      for (nn::SplitAttr split : ArrayRef(has).drop_front(same))
        plan.leave.push_back(split.getAxis());
      for (nn::SplitAttr split : ArrayRef(wants).drop_front(same))
        plan.come.push_back(split);
      if (!plan.leave.empty() || !plan.come.empty())
        plans.push_back(plan);
    }
  return plans;
}

/// Elements in another order go to any member: these are gathered.
static bool isRepartition(const FactorPlan &plan, nn::LayoutAttr from) {
  return !plan.leave.empty() && !haveOtherOrders(from, plan.come) &&
         llvm::equal(plan.leave, plan.come,
                     [](StringAttr axis, nn::SplitAttr split) {
                       return axis == split.getAxis();
                     });
}

/// The moves to a layout of the same factors, in the order of `run`. Each step
/// removes from the plans the axes that it has moved.
class OpPlacer::Route {
public:
  Route(OpPlacer &placer, OpBuilder &builder, Location loc, Value value,
        nn::LayoutAttr target)
      : placer(placer), builder(builder), loc(loc), value(value),
        target(target), plans(planFactors(layout(), target)) {}

  Value run();

private:
  nn::LayoutAttr layout() const { return nn::layoutOf(value); }
  void step(RedistributeKind kind, ArrayRef<StringAttr> axes,
            nn::LayoutAttr to) {
    value = placer.move(builder, loc, value, kind, axes, to);
  }
  bool isSplitOver(nn::SplitAttr split) const {
    return bool(layout().splitOver(split.getAxis()));
  }

  void repartition();
  void cut(ArrayRef<nn::SplitAttr> come);
  void cutWhatIsReady();
  void reduce();
  void cutBeforeOthers();
  Value gatheredBefore(ArrayRef<StringAttr> axes) const;
  bool turn(FactorPlan &from, FactorPlan &to);
  bool turnOne();
  void cutTurned(nn::RedistributeOp gather);
  void gather();

  OpPlacer &placer;
  OpBuilder &builder;
  Location loc;
  Value value;
  nn::LayoutAttr target;
  SmallVector<FactorPlan> plans;
};

/// The same axes in other parts: rows go to neighbours, none are gathered.
void OpPlacer::Route::repartition() {
  for (FactorPlan &plan : plans) {
    if (!isRepartition(plan, layout()))
      continue;
    step(RedistributeKind::Repartition, plan.leave, recut(layout(), plan.come));
    plan.leave.clear();
    plan.come.clear();
  }
}

/// One collective for each run of axes that are all partial, or all not.
void OpPlacer::Route::cut(ArrayRef<nn::SplitAttr> come) {
  auto isPartial = [&](nn::SplitAttr split) {
    return bool(layout().partialOver(split.getAxis()));
  };
  while (!come.empty()) {
    bool partial = isPartial(come.front());
    auto splits = come.take_while(
        [&](nn::SplitAttr split) { return isPartial(split) == partial; });
    come = come.drop_front(splits.size());
    auto axes = llvm::map_to_vector(
        splits, [](nn::SplitAttr split) { return split.getAxis(); });
    step(partial ? RedistributeKind::ReduceScatter : RedistributeKind::Slice,
         axes, cutBy(wholeOver(layout(), axes), splits));
  }
}

/// Factors that no axis has to leave, by axes that split nothing else.
void OpPlacer::Route::cutWhatIsReady() {
  for (FactorPlan &plan : plans) {
    if (!plan.leave.empty() ||
        llvm::any_of(plan.come,
                     [&](nn::SplitAttr split) { return isSplitOver(split); }))
      continue;
    cut(plan.come);
    plan.come.clear();
  }
}

/// Of what stays whole.
void OpPlacer::Route::reduce() {
  SmallVector<StringAttr> sums;
  for (nn::PartialAttr partial : layout().getPartials())
    if (!target.partialOver(partial.getAxis()) &&
        !target.splitOver(partial.getAxis()))
      sums.push_back(partial.getAxis());
  if (!sums.empty())
    step(RedistributeKind::AllReduce, sums, wholeOver(layout(), sums));
}

/// By the leading axes that come to a factor, where those to be nested inside
/// of them split another one still.
void OpPlacer::Route::cutBeforeOthers() {
  for (FactorPlan &plan : plans) {
    auto others = llvm::find_if(
        plan.come, [&](nn::SplitAttr split) { return isSplitOver(split); });
    if (!plan.leave.empty() || others == plan.come.end())
      continue;
    cut({plan.come.begin(), others});
    plan.come.erase(plan.come.begin(), others);
  }
}

/// What this placer gathered of the value over these axes before, as for
/// another term of a sum; null if nothing was.
Value OpPlacer::Route::gatheredBefore(ArrayRef<StringAttr> axes) const {
  if (!layout().getHeld().empty())
    return {};
  auto at = builder.getInsertionPoint();
  for (Operation *user : value.getUsers())
    if (placer.made.contains(user) && user->getBlock() == builder.getBlock() &&
        (at == builder.getBlock()->end() || user->isBeforeInBlock(&*at)) &&
        nn::layoutOf(user->getResult(0)) == wholeOver(layout(), axes))
      return user->getResult(0);
  return {};
}

/// Axes that only change their factor: exchanged, not gathered. The minor ones
/// of a factor can leave it, and go behind those that the other one has.
bool OpPlacer::Route::turn(FactorPlan &from, FactorPlan &to) {
  if (!from.come.empty() || !to.leave.empty())
    return false;
  for (size_t count = std::min(from.leave.size(), to.come.size()); count > 0;
       --count) {
    auto leave = ArrayRef(from.leave).take_back(count);
    auto come = ArrayRef(to.come).take_front(count);
    if (!llvm::equal(leave, come, [](StringAttr axis, nn::SplitAttr split) {
          return axis == split.getAxis();
        }))
      continue;
    nn::LayoutAttr turned = cutBy(wholeOver(layout(), leave), come);
    Value whole = gatheredBefore(leave);
    value = whole ? whole : value;
    step(whole ? RedistributeKind::Slice : RedistributeKind::AllToAll, leave,
         turned);
    from.leave.pop_back_n(count);
    to.come.erase(to.come.begin(), to.come.begin() + count);
    return true;
  }
  return false;
}

bool OpPlacer::Route::turnOne() {
  return llvm::any_of(plans, [&](FactorPlan &from) {
    return llvm::any_of(plans, [&](FactorPlan &to) { return turn(from, to); });
  });
}

/// What went by an all_to_all of the same axes before is cut of what is
/// gathered now, which comes first then.
void OpPlacer::Route::cutTurned(nn::RedistributeOp gather) {
  Value from = gather.getX();
  if (!nn::layoutOf(from).getHeld().empty())
    return;
  for (Operation *user : llvm::make_early_inc_range(from.getUsers())) {
    if (!placer.made.contains(user) || user->getBlock() != gather->getBlock())
      continue;
    auto turned = cast<nn::RedistributeOp>(user);
    if (turned.getKind() != RedistributeKind::AllToAll ||
        turned.getAxes() != gather.getAxes())
      continue;
    if (turned->isBeforeInBlock(gather))
      gather->moveBefore(turned);
    turned.getXMutable().assign(gather.getResult());
    turned.setKind(RedistributeKind::Slice);
  }
}

void OpPlacer::Route::gather() {
  for (const FactorPlan &plan : plans) {
    if (plan.leave.empty())
      continue;
    step(RedistributeKind::AllGather, plan.leave,
         wholeOver(layout(), plan.leave));
    cutTurned(value.getDefiningOp<nn::RedistributeOp>());
  }
}

Value OpPlacer::Route::run() {
  repartition();
  cutWhatIsReady();
  reduce();
  cutBeforeOthers();
  while (turnOne())
    ;
  gather();
  for (const FactorPlan &plan : plans)
    cut(plan.come);
  return value;
}

Value OpPlacer::redistribute(OpBuilder &builder, Location loc, Value value,
                             nn::LayoutAttr target) {
  if (!haveSameFactors(nn::layoutOf(value), target))
    value = refactor(builder, loc, value, target);
  value = Route(*this, builder, loc, value, target).run();
  // Names alone differ: types carry those of the target.
  if (nn::layoutOf(value).getDims() != target.getDims())
    value = refactor(builder, loc, value, target);
  return value;
}
