//===- OpPlacer.cpp - placing operations made after placement -------------===//

#include "hocket/Placement/OpPlacer.h"
#include "HeldDemand.h"
#include "Relayout.h"
#include "RuleSpace.h"
#include "dialects/Nn/Ring.h"

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
    nn::LayoutAttr layout = nn::layoutOf(operand);
    operands.push_back(rule.operands[i].picks.empty() ? layout.withoutHeld()
                                                      : layout);
    isFree[i] = freeValues.contains(operand);
  }
  for (Value result : op->getResults())
    results.push_back(nn::layoutOf(result));
  // Gradients flow back the way that the forward came.
  return meet({rule, mesh, operands, results, isFree,
               [&](unsigned axis) {
                 return nn::isRingOver(op, mesh.getAxes()[axis].getName());
               },
               [](unsigned, int) { return true; }});
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
    SmallVector<nn::LayoutAttr> made = llvm::map_to_vector(
        op->getResults(), [](Value result) { return nn::layoutOf(result); });
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      for (nn::LayoutAttr target : {met.sliced[i], met.masked[i]}) {
        Value from = operand.get();
        nn::LayoutAttr layout = nn::layoutOf(from).withoutHeld();
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
        operand.set(
            move(builder, op->getLoc(), from,
                 isSlice ? RedistributeKind::Slice : RedistributeKind::Mask,
                 axes, target));
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
    hold(op, rule, made);
    if (auto gather = dyn_cast<nn::GatherOp>(op))
      exchangeForEdges(gather, mesh);
    return success();
  }
  return op->emitError() << "the operands of '" << op->getName()
                         << "' in the backward do not meet";
}

//===-- Mending -----------------------------------------------------------===//

/// The layout whole over `axis` and over the axes nested inside of it.
static nn::LayoutAttr wholeFrom(nn::LayoutAttr layout, StringAttr axis) {
  SmallVector<StringAttr> axes = nestedFrom(layout, axis);
  axes.push_back(axis);
  return wholeOver(layout, axes);
}

bool OpPlacer::setOperand(Operation *op, unsigned operand,
                          nn::LayoutAttr target) {
  Value value = op->getOperand(operand);
  if (nn::layoutOf(value).withoutHeld() == target)
    return false;
  OpBuilder builder(op);
  op->setOperand(operand, redistribute(builder, op->getLoc(), value, target));
  return true;
}

bool OpPlacer::mend(Operation *op, const nn::PlacementRule &rule,
                    const Mismatch &m) {
  nn::MeshAxisAttr axis = mesh.getAxes()[m.axis];
  StringAttr name = axis.getName();
  auto layoutAt = [&](unsigned operand) {
    return nn::layoutOf(op->getOperand(operand)).withoutHeld();
  };
  auto makeWhole = [&](unsigned operand) {
    return setOperand(op, operand, wholeFrom(layoutAt(operand), name));
  };
  RuleSpace space(rule, mesh);
  /// How a layout of an operand cuts a factor, as far as the rule can say.
  auto cutsOf = [&](unsigned operand, nn::LayoutAttr layout, int factor,
                    bool &isOwn) {
    SmallVector<Mismatch> ignored;
    RuleValue value = space.toRule(rule.operands[operand], layout, ignored);
    isOwn = value.ownCuts.test(factor);
    return value.nesting[factor];
  };
  /// Split by the rule's factor as `other` is, up to the axis.
  auto cut = [&](unsigned operand, int factor, unsigned other) {
    bool isOwn = false, isOthersOwn = false;
    nn::LayoutAttr layout = wholeFrom(layoutAt(operand), name);
    AxisCuts own = cutsOf(operand, layout, factor, isOwn);
    AxisCuts cuts = cutsOf(other, layoutAt(other), factor, isOthersOwn);
    while (!cuts.empty() && cuts.back().axis != m.axis)
      cuts.pop_back();
    if (own.size() >= cuts.size() || isOwn || isOthersOwn ||
        own != ArrayRef(cuts).take_front(own.size()))
      return false;
    auto splits =
        space.splitsFor(rule.operands[operand], layout, factor, cuts, false);
    if (!splits)
      return false;
    ArrayRef<nn::SplitAttr> come = ArrayRef(*splits).drop_front(own.size());
    return setOperand(
        op, operand,
        cutBy(wholeOver(layout, llvm::map_to_vector(come,
                                                    [](nn::SplitAttr split) {
                                                      return split.getAxis();
                                                    })),
              come));
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
  case Kind::Sizes: {
    SmallVector<nn::SplitAttr> splits =
        space.splitsLike(rule.operands[m.operand], layoutAt(m.operand),
                         rule.operands[m.other], layoutAt(m.other), m.factor);
    if (!splits.empty() &&
        setOperand(op, m.operand, recut(layoutAt(m.operand), splits)))
      return true;
    return makeWhole(m.operand) || makeWhole(m.other);
  }
  case Kind::Nesting:
    return makeWhole(m.operand) || makeWhole(m.other);
  case Kind::NeedsLicence:
  case Kind::NeedsHalo:
  case Kind::NeedsWhole:
  case Kind::NotInRule:
  case Kind::Ordered:
    return makeWhole(m.operand);
  }
  return false;
}
