//===- Candidates.cpp - which lines a mismatch suggests -------------------===//

#include "Locations.h"
#include "Placer.h"
#include "RuleSpace.h"
#include "dialects/Nn/Norms.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using Kind = Mismatch::Kind;

/// Where operand `operand` has what the other is split by, if it does.
static std::optional<FactorRef> factorIn(Operation *op, unsigned operand,
                                         const nn::PlacementRule &rule,
                                         int factor) {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
  const nn::PlacementRule::Value &value = rule.operands[operand];
  for (auto [d, dim] : llvm::enumerate(value.dims)) {
    int64_t multiplicity =
        value.multiplicity.empty() ? 1 : value.multiplicity[d];
    for (auto [f, number] : llvm::enumerate(dim))
      if (rule.positionsOf(number) == factor)
        for (unsigned t = 0; t < layout.getDims()[d].getFactors().size(); ++t)
          if (layout.getDims()[d].getFactors()[t].getSize() ==
              rule.factors[number].size * multiplicity)
            return FactorRef{unsigned(d), t};
    // Of channels in groups the rule has two factors, the type has one.
    if (dim.size() > 1 && rule.positionsOf(dim.front()) == factor &&
        layout.getDims()[d].getFactors().size() == 1)
      return FactorRef{unsigned(d), 0};
  }
  return std::nullopt;
}

ArrayAttr Placer::cutsAs(Operation *op, const nn::PlacementRule &rule,
                         unsigned operand, unsigned other, int factor,
                         unsigned axis) const {
  RuleSpace space(rule, mesh);
  SmallVector<Mismatch> ignored;
  RuleValue value = space.toRule(rule.operands[other],
                                 nn::layoutOf(op->getOperand(other)), ignored);
  AxisCuts cuts = value.nesting[factor];
  while (!cuts.empty() && cuts.back().axis != axis)
    cuts.pop_back();
  nn::LayoutAttr layout =
      nn::layoutOf(op->getOperand(operand)).withoutPlacement();
  auto splits =
      space.splitsFor(rule.operands[operand], layout, factor, cuts, false);
  if (cuts.empty() || !splits || value.ownCuts.test(factor))
    return {};
  return cutsOf(layout.withPlacement(*splits, {}), splits->back());
}

/// True if the axis splits a dim of the operand that the op takes whole.
static bool splitsWhole(Operation *op, unsigned operand,
                        const nn::PlacementRule &rule, StringRef axis) {
  nn::SplitAttr split = nn::layoutOf(op->getOperand(operand)).splitOver(axis);
  return split &&
         llvm::any_of(rule.operands[operand].dims[split.getDim()],
                      [&](int factor) {
                        return factor >= 0 &&
                               rule.factors[factor].use == nn::FactorUse::Whole;
                      });
}

void Placer::addWays(Problem &problem, Operation *op,
                     const nn::PlacementRule &rule, const Mismatch &m) {
  Value operand = op->getOperand(m.isResult ? 0 : m.operand);
  switch (m.kind) {
  case Kind::PartialRefused:
  case Kind::TwoReductions:
    wayReduce(problem, operand, m.axis);
    wayComplete(problem, operand, m.axis);
    wayBeforeSum(problem, operand, m.axis);
    if (m.kind == Kind::PartialRefused)
      wayScatters(problem, operand, m.axis);
    return;
  case Kind::TwoSums:
    wayReduce(problem, operand, m.axis);
    wayComplete(problem, operand, m.axis);
    wayReduce(problem, op->getOperand(m.other), m.axis);
    return;
  case Kind::PartialAndSplit:
    if (auto ref = factorIn(op, m.operand, rule, m.otherFactor))
      wayScatter(problem, operand, m.axis, *ref,
                 cutsAs(op, rule, m.operand, m.other, m.otherFactor, m.axis));
    wayGather(problem, op->getOperand(m.other), m.axis);
    wayReduce(problem, operand, m.axis);
    wayComplete(problem, operand, m.axis);
    wayBeforeSum(problem, operand, m.axis);
    return;
  case Kind::NeedsLicence: {
    if (isAttention(op))
      return wayGatherAll(
          problem, SmallVector<Value>(op->getOperands().take_front(3)), m.axis);
    WayOut way;
    way.kind = WayOut::Kind::Statistics;
    way.path = modelPath(op);
    way.over = {axisText(m.axis)};
    // Two sums of one number a row, each as an all_reduce.
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t rows = localElements(nn::layoutOf(type), mesh);
    if (auto norm = dyn_cast<nn::NormalizeOp>(op))
      rows = localElements(nn::layoutOf(norm.getMean()), mesh);
    else if (nn::LayoutAttr layout = nn::layoutOf(type);
             !layout.getDims().empty()) {
      nn::LayoutAttr last = nn::LayoutAttr::get(layout.getContext(),
                                                layout.getDims().take_back());
      rows /= std::max<int64_t>(1, last.getDims().front().getSize() /
                                       mesh.getAxes()[m.axis].getSize());
    }
    int64_t ranks = mesh.getAxes()[m.axis].getSize();
    way.bytes = 2 * 2 * rows * 4 * (ranks - 1) / ranks;
    problem.ways.push_back(way);
    wayGather(problem, operand, m.axis);
    return;
  }
  case Kind::NeedsHalo:
    wayHalo(problem, op, rule, m);
    wayAttention(problem, op, m.axis);
    wayGather(problem, operand, m.axis);
    return;
  case Kind::NeedsWhole: {
    SmallVector<Value> split;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (splitsWhole(op, i, rule, axisText(m.axis)))
        split.push_back(op->getOperand(i));
    wayGatherAll(problem, split, m.axis);
    wayAttention(problem, op, m.axis);
    return;
  }
  case Kind::Unaligned:
    if (!m.isResult &&
        llvm::is_contained(rule.operands[m.operand].picks, m.factor)) {
      SmallVector<Value> picked; // keys and values go in pairs
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (llvm::is_contained(rule.operands[i].picks, m.factor))
          picked.push_back(op->getOperand(i));
      wayReplicate(problem, picked, m.axis);
      wayGatherAll(problem, picked, m.axis);
      return;
    }
    wayGather(problem, operand, m.axis);
    return;
  case Kind::NotInRule:
  case Kind::Ordered:
  case Kind::Nesting:
    wayGather(problem, operand, m.axis);
    return;
  case Kind::Sizes:
    for (auto [i, other] :
         {std::pair(m.operand, m.other), std::pair(m.other, m.operand)})
      if (auto ref = factorIn(op, i, rule, m.factor))
        wayResize(problem, op->getOperand(i), m.axis, *ref,
                  cutsAs(op, rule, i, other, m.factor, m.axis));
    return;
  case Kind::TwoFactors:
    if (auto ref = factorIn(op, m.operand, rule, m.otherFactor))
      wayExchange(problem, operand, m.axis, *ref,
                  cutsAs(op, rule, m.operand, m.other, m.otherFactor, m.axis));
    if (auto ref = factorIn(op, m.other, rule, m.factor))
      wayExchange(problem, op->getOperand(m.other), m.axis, *ref,
                  cutsAs(op, rule, m.other, m.operand, m.factor, m.axis));
    wayGather(problem, operand, m.axis);
    wayGather(problem, op->getOperand(m.other), m.axis);
    return;
  case Kind::WholeAndSplit:
    if (auto ref = factorIn(op, m.operand, rule, m.factor)) {
      waySlice(problem, operand, m.axis, *ref,
               cutsAs(op, rule, m.operand, m.other, m.factor, m.axis));
      waySliceAndReduce(problem, op, m.axis);
      wayShardSource(problem, operand, m.axis, *ref);
    }
    wayGather(problem, op->getOperand(m.other), m.axis);
    return;
  }
}
