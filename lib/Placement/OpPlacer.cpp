//===- OpPlacer.cpp - placing operations made after placement -------------===//

#include "hocket/Placement/OpPlacer.h"
#include "RuleSpace.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using Kind = Mismatch::Kind;

OpPlacer::OpPlacer(nn::MeshAttr all) {
  SmallVector<nn::MeshAxisAttr> live;
  for (nn::MeshAxisAttr axis : all.getAxes())
    if (axis.getSize() > 1)
      live.push_back(axis);
  mesh = nn::MeshAttr::get(all.getContext(), live);
}

MeetResult OpPlacer::meetOperands(Operation *op,
                                  const nn::PlacementRule &rule) {
  SmallVector<nn::LayoutAttr> operands, results;
  llvm::BitVector isFree(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    operands.push_back(nn::layoutOf(operand));
    isFree[i] = freeValues.contains(operand);
  }
  for (Value result : op->getResults())
    results.push_back(nn::layoutOf(result));
  return meet(
      {rule, mesh, operands, results, isFree, [](unsigned) { return false; }});
}

LogicalResult OpPlacer::place(Operation *op) {
  if (op->getNumOperands() == 0) {
    for (Value result : op->getResults())
      markFree(result);
    return success();
  }
  nn::PlacementRule rule = cast<nn::PlacedOp>(op).getPlacementRule();
  unsigned rounds = 4 * mesh.getAxes().size() * op->getNumOperands() + 1;
  for (unsigned round = 0; round < rounds; ++round) {
    MeetResult met = meetOperands(op, rule);
    if (!met.mismatches.empty()) {
      if (!mend(op, rule, met.mismatches.front()))
        break;
      continue;
    }
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      for (nn::LayoutAttr target : {met.sliced[i], met.masked[i]}) {
        Value from = operand.get();
        nn::LayoutAttr layout = nn::layoutOf(from);
        if (layout == target)
          continue;
        SmallVector<StringAttr> axes;
        for (nn::MeshAxisAttr axis : mesh.getAxes())
          if (layout.splitOver(axis.getName()) !=
                  target.splitOver(axis.getName()) ||
              layout.partialOver(axis.getName()) !=
                  target.partialOver(axis.getName()))
            axes.push_back(axis.getName());
        bool isSlice = target == met.sliced[i];
        operand.set(move(builder, op->getLoc(), from,
                         isSlice ? "slice" : "mask", axes, target));
      }
    }
    bool allFree = llvm::all_of(op->getOperands(), [&](Value operand) {
      return freeValues.contains(operand);
    });
    for (OpResult result : op->getResults()) {
      result.setType(nn::withLayout(cast<RankedTensorType>(result.getType()),
                                    met.results[result.getResultNumber()]));
      if (allFree)
        markFree(result);
    }
    return success();
  }
  return op->emitError() << "the operands of '" << op->getName()
                         << "' in the backward do not meet";
}

//===-- Mending -----------------------------------------------------------===//

/// The layout without what it holds on `axis`, and on the axes that are nested
/// inside of it.
static nn::LayoutAttr wholeOver(nn::LayoutAttr layout, StringRef axis) {
  nn::SplitAttr moved = layout.splitOver(axis);
  SmallVector<nn::SplitAttr> splits;
  bool inside = false;
  for (nn::SplitAttr split : layout.getSplits()) {
    inside |= split == moved;
    bool same = moved && split.getDim() == moved.getDim() &&
                split.getFactor() == moved.getFactor();
    if (!(same && inside))
      splits.push_back(split);
  }
  SmallVector<nn::PartialAttr> partials;
  for (nn::PartialAttr partial : layout.getPartials())
    if (partial.getAxis() != axis)
      partials.push_back(partial);
  return layout.withPlacement(splits, partials);
}

bool OpPlacer::setOperand(Operation *op, unsigned operand,
                          nn::LayoutAttr target) {
  Value value = op->getOperand(operand);
  if (nn::layoutOf(value) == target)
    return false;
  OpBuilder builder(op);
  op->setOperand(operand, redistribute(builder, op->getLoc(), value, target));
  return true;
}

bool OpPlacer::mend(Operation *op, const nn::PlacementRule &rule,
                    const Mismatch &m) {
  nn::MeshAxisAttr axis = mesh.getAxes()[m.axis];
  StringRef name = axis.getName();
  auto layoutAt = [&](unsigned operand) {
    return nn::layoutOf(op->getOperand(operand));
  };
  auto makeWhole = [&](unsigned operand) {
    return setOperand(op, operand, wholeOver(layoutAt(operand), name));
  };
  /// Split by the rule's factor over the axis, inside of what splits it
  /// already and after the axes that split `other` before.
  auto cut = [&](unsigned operand, int factor, unsigned other) {
    RuleSpace space(rule, mesh);
    nn::LayoutAttr layout = wholeOver(layoutAt(operand), name);
    auto found = space.find(rule.operands[operand], layout, factor);
    if (!found)
      return false;
    SmallVector<StringAttr> axes;
    for (nn::SplitAttr split : layout.splitsOf(found->dim, found->factor))
      axes.push_back(split.getAxis());
    size_t kept = axes.size();
    if (nn::SplitAttr split = layoutAt(other).splitOver(name))
      for (nn::SplitAttr outer :
           layoutAt(other).splitsOf(split.getDim(), split.getFactor())) {
        if (outer == split)
          break;
        if (!layout.splitOver(outer.getAxis()))
          axes.push_back(outer.getAxis());
      }
    axes.push_back(axis.getName());
    int64_t parts = 1;
    SmallVector<int64_t> sizes;
    for (StringAttr each : axes) {
      sizes.push_back(mesh.getSize(each));
      parts *= sizes.back();
    }
    if (parts > found->size ||
        !cutsAlign(found->size, rule.factors[factor].size, sizes))
      return false;
    SmallVector<nn::SplitAttr> splits(layout.getSplits());
    SmallVector<nn::PartialAttr> partials(layout.getPartials());
    for (StringAttr each : ArrayRef(axes).drop_front(kept)) {
      splits.push_back(nn::SplitAttr::get(op->getContext(), each, found->dim,
                                          found->factor));
      llvm::erase_if(partials, [&](nn::PartialAttr partial) {
        return partial.getAxis() == each;
      });
    }
    return setOperand(op, operand, layout.withPlacement(splits, partials));
  };
  switch (m.kind) {
  case Kind::PartialRefused:
  case Kind::TwoSums:
  case Kind::TwoReductions:
    return makeWhole(m.operand);
  case Kind::PartialAndSplit:
    return cut(m.operand, m.otherFactor, m.other) || makeWhole(m.operand);
  case Kind::WholeAndSplit:
    return cut(m.operand, m.factor, m.other) || makeWhole(m.other);
  case Kind::TwoFactors: {
    auto elements = [&](unsigned operand) {
      return cast<RankedTensorType>(op->getOperand(operand).getType())
          .getNumElements();
    };
    bool first = elements(m.operand) <= elements(m.other);
    return makeWhole(first ? m.operand : m.other);
  }
  case Kind::Unaligned:
    if (!m.isResult)
      return makeWhole(m.operand) ||
             (op->getNumOperands() > 1 && makeWhole(m.operand == 0));
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (layoutAt(i).splitOver(name) && makeWhole(i))
        return true;
    return false;
  case Kind::Nesting:
    return makeWhole(m.operand) || makeWhole(m.other);
  case Kind::NeedsLicence:
  case Kind::NeedsWhole:
  case Kind::NotInRule:
    return makeWhole(m.operand);
  }
  return false;
}

//===-- Redistribution ----------------------------------------------------===//

Value OpPlacer::move(OpBuilder &builder, Location loc, Value value,
                     StringRef kind, ArrayRef<StringAttr> axes,
                     nn::LayoutAttr target) {
  SmallVector<StringRef> names;
  for (StringAttr axis : axes)
    names.push_back(axis.getValue());
  auto type = nn::withLayout(cast<RankedTensorType>(value.getType()), target);
  Value moved = nn::RedistributeOp::create(builder, loc, type, value, kind,
                                           builder.getStrArrayAttr(names),
                                           /*root=*/nullptr);
  if (freeValues.contains(value))
    markFree(moved);
  return moved;
}

/// The value with the factors of `target`: a rearrange that moves nothing.
Value OpPlacer::refactor(OpBuilder &builder, Location loc, Value value,
                         nn::LayoutAttr target) {
  MLIRContext *context = value.getContext();
  SmallVector<nn::DimAttr> source;
  SmallVector<Attribute> order;
  int64_t next = 0;
  for (auto [from, to] :
       llvm::zip(nn::layoutOf(value).getDims(), target.getDims())) {
    auto refined = nn::refineFactors(from.getFactors(), to.getFactors());
    source.push_back(succeeded(refined) ? nn::DimAttr::get(context, *refined)
                                        : from);
    SmallVector<int64_t> numbers;
    for (size_t i = 0; i < source.back().getFactors().size(); ++i)
      numbers.push_back(next++);
    order.push_back(builder.getI64ArrayAttr(numbers));
  }
  auto type = nn::withLayout(cast<RankedTensorType>(value.getType()),
                             target.withoutPlacement());
  auto op = nn::RearrangeOp::create(builder, loc, type, value,
                                    nn::LayoutAttr::get(context, source),
                                    builder.getArrayAttr(order));
  (void)place(op);
  return op;
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
  SmallVector<StringAttr> leave, come;
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
        plan.come.push_back(split.getAxis());
      if (!plan.leave.empty() || !plan.come.empty())
        plans.push_back(plan);
    }
  return plans;
}

static nn::LayoutAttr without(nn::LayoutAttr layout,
                              ArrayRef<StringAttr> axes) {
  SmallVector<nn::SplitAttr> splits;
  SmallVector<nn::PartialAttr> partials;
  for (nn::SplitAttr split : layout.getSplits())
    if (!llvm::is_contained(axes, split.getAxis()))
      splits.push_back(split);
  for (nn::PartialAttr partial : layout.getPartials())
    if (!llvm::is_contained(axes, partial.getAxis()))
      partials.push_back(partial);
  return layout.withPlacement(splits, partials);
}

static nn::LayoutAttr withSplits(nn::LayoutAttr layout,
                                 ArrayRef<StringAttr> axes, int64_t dim,
                                 int64_t factor) {
  SmallVector<nn::SplitAttr> splits(layout.getSplits());
  for (StringAttr axis : axes)
    splits.push_back(
        nn::SplitAttr::get(layout.getContext(), axis, dim, factor));
  return layout.withPlacement(splits, layout.getPartials());
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
      bool partial = bool(layout().partialOver(plan.come[i]));
      SmallVector<StringAttr> axes;
      for (; i < plan.come.size() &&
             bool(layout().partialOver(plan.come[i])) == partial;
           ++i)
        axes.push_back(plan.come[i]);
      nn::LayoutAttr cut =
          withSplits(without(layout(), axes), axes, plan.dim, plan.factor);
      value = move(builder, loc, value, partial ? "reduce_scatter" : "slice",
                   axes, cut);
    }
  };
  auto isReady = [&](const FactorPlan &plan) {
    return plan.leave.empty() && llvm::none_of(plan.come, [&](StringAttr axis) {
             return bool(layout().splitOver(axis));
           });
  };
  SmallVector<bool> done(plans.size());
  for (auto [i, plan] : llvm::enumerate(plans))
    if (isReady(plan)) {
      come(plan);
      done[i] = true;
    }
  SmallVector<StringAttr> sums;
  for (nn::PartialAttr partial : layout().getPartials())
    if (!target.partialOver(partial.getAxis()) &&
        !target.splitOver(partial.getAxis()))
      sums.push_back(partial.getAxis());
  if (!sums.empty())
    value =
        move(builder, loc, value, "all_reduce", sums, without(layout(), sums));
  // One axis that only changes its factor: exchanged, not gathered.
  for (FactorPlan &from : plans)
    for (auto [i, to] : llvm::enumerate(plans))
      if (from.leave.size() == 1 && to.leave.empty() && !done[i] &&
          to.come == from.leave && from.come.empty()) {
        value = move(builder, loc, value, "all_to_all", from.leave,
                     withSplits(without(layout(), from.leave), from.leave,
                                to.dim, to.factor));
        from.leave.clear();
        done[i] = true;
      }
  for (const FactorPlan &plan : plans)
    if (!plan.leave.empty())
      value = move(builder, loc, value, "all_gather", plan.leave,
                   without(layout(), plan.leave));
  for (auto [i, plan] : llvm::enumerate(plans))
    if (!done[i])
      come(plan);
  if (layout() != target && layout().getDims() != target.getDims()) {
    // Names alone differ: types carry those of the target.
    auto type = nn::withLayout(
        cast<RankedTensorType>(value.getType()),
        target.withPlacement(layout().getSplits(), layout().getPartials()));
    SmallVector<Attribute> order;
    int64_t next = 0;
    for (nn::DimAttr dim : target.getDims()) {
      SmallVector<int64_t> numbers;
      for (size_t i = 0; i < dim.getFactors().size(); ++i)
        numbers.push_back(next++);
      order.push_back(builder.getI64ArrayAttr(numbers));
    }
    value = nn::RearrangeOp::create(builder, loc, type, value,
                                    target.withoutPlacement(),
                                    builder.getArrayAttr(order));
  }
  return value;
}
