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

Value OpPlacer::redistribute(OpBuilder &builder, Location loc, Value value,
                             nn::LayoutAttr target) {
  if (!haveSameFactors(nn::layoutOf(value), target))
    value = refactor(builder, loc, value, target);
  auto layout = [&] { return nn::layoutOf(value); };
  SmallVector<FactorPlan> plans = planFactors(layout(), target);
  // Runs of equal kind, for one collective each.
  auto come = [&](const FactorPlan &plan) {
    for (size_t i = 0; i < plan.come.size();) {
      auto isPartial = [&](size_t index) {
        return bool(layout().partialOver(plan.come[index].getAxis()));
      };
      bool partial = isPartial(i);
      SmallVector<StringAttr> axes;
      SmallVector<nn::SplitAttr> splits;
      for (; i < plan.come.size() && isPartial(i) == partial; ++i) {
        axes.push_back(plan.come[i].getAxis());
        splits.push_back(plan.come[i]);
      }
      nn::LayoutAttr cut = cutBy(wholeOver(layout(), axes), splits);
      value = move(builder, loc, value,
                   partial ? RedistributeKind::ReduceScatter
                           : RedistributeKind::Slice,
                   axes, cut);
    }
  };
  auto isReady = [&](const FactorPlan &plan) {
    return plan.leave.empty() &&
           llvm::none_of(plan.come, [&](nn::SplitAttr split) {
             return bool(layout().splitOver(split.getAxis()));
           });
  };
  for (FactorPlan &plan : plans) {
    // The same axes in other parts: rows go to neighbours, none are gathered.
    if (isRepartition(plan, layout())) {
      value = move(builder, loc, value, RedistributeKind::Repartition,
                   plan.leave, recut(layout(), plan.come));
      plan.leave.clear();
      plan.come.clear();
    }
  }
  for (FactorPlan &plan : plans)
    if (isReady(plan)) {
      come(plan);
      plan.come.clear();
    }
  SmallVector<StringAttr> sums;
  for (nn::PartialAttr partial : layout().getPartials())
    if (!target.partialOver(partial.getAxis()) &&
        !target.splitOver(partial.getAxis()))
      sums.push_back(partial.getAxis());
  if (!sums.empty())
    value = move(builder, loc, value, RedistributeKind::AllReduce, sums,
                 wholeOver(layout(), sums));
  // What comes in front of axes that are still elsewhere is cut off first.
  for (FactorPlan &plan : plans) {
    auto isHere = [&](nn::SplitAttr split) {
      return !layout().splitOver(split.getAxis());
    };
    auto rest = llvm::find_if_not(plan.come, isHere);
    if (!plan.leave.empty() || rest == plan.come.end())
      continue;
    come({plan.dim, plan.factor, {}, {plan.come.begin(), rest}});
    plan.come.erase(plan.come.begin(), rest);
  }
  // Axes that only change their factor: exchanged, not gathered. The minor ones
  // of a factor can leave it, and go behind those that the other one has.
  auto turn = [&](FactorPlan &from, FactorPlan &to) {
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
      value = move(builder, loc, value, RedistributeKind::AllToAll, leave,
                   cutBy(wholeOver(layout(), leave), come));
      from.leave.pop_back_n(count);
      to.come.erase(to.come.begin(), to.come.begin() + count);
      return true;
    }
    return false;
  };
  auto turnOne = [&] {
    return llvm::any_of(plans, [&](FactorPlan &from) {
      return llvm::any_of(plans,
                          [&](FactorPlan &to) { return turn(from, to); });
    });
  };
  while (turnOne())
    ;
  for (const FactorPlan &plan : plans)
    if (!plan.leave.empty())
      value = move(builder, loc, value, RedistributeKind::AllGather, plan.leave,
                   wholeOver(layout(), plan.leave));
  for (const FactorPlan &plan : plans)
    come(plan);
  // Names alone differ: types carry those of the target.
  if (layout().getDims() != target.getDims())
    value = refactor(builder, loc, value, target);
  return value;
}
