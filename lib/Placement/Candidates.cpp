//===- Candidates.cpp - which lines a mismatch suggests -------------------===//

#include "Locations.h"
#include "RuleSpace.h"
#include "WaysOut.h"
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

ArrayAttr WaysOut::cutsAs(Operation *op, const nn::PlacementRule &rule,
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
  return lineCuts.of(layout.withPlacement(*splits, {}), splits->back());
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

/// A statistics line, with the bytes of two sums of one number a row, each as
/// an all_reduce.
void WaysOut::addLicence(Problem &problem, Operation *op, unsigned axis,
                         Value operand) {
  WayOut way;
  way.kind = WayOut::Kind::Statistics;
  way.path = modelPath(op);
  way.over = {axisText(axis, mesh)};
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t rows = localElements(nn::layoutOf(type), mesh);
  if (auto norm = dyn_cast<nn::NormalizeOp>(op))
    rows = localElements(nn::layoutOf(norm.getMean()), mesh);
  else if (nn::LayoutAttr layout = nn::layoutOf(type);
           !layout.getDims().empty()) {
    nn::LayoutAttr last =
        nn::LayoutAttr::get(layout.getContext(), layout.getDims().take_back());
    rows /= std::max<int64_t>(1, last.getDims().front().getSize() /
                                     mesh.getAxes()[axis].getSize());
  }
  int64_t ranks = mesh.getAxes()[axis].getSize();
  way.bytes = 2 * 2 * rows * 4 * (ranks - 1) / ranks;
  problem.ways.push_back(way);
}

void WaysOut::add(Problem &problem, Operation *op,
                  const nn::PlacementRule &rule, const Mismatch &m) {
  Value operand = op->getOperand(m.isResult ? 0 : m.operand);
  switch (m.kind) {
  case Kind::PartialRefused:
  case Kind::TwoReductions:
    reduce(problem, operand, m.axis);
    complete(problem, operand, m.axis);
    beforeSum(problem, operand, m.axis);
    if (m.kind == Kind::PartialRefused)
      scatters(problem, operand, m.axis);
    return;
  case Kind::TwoSums:
    reduce(problem, operand, m.axis);
    complete(problem, operand, m.axis);
    reduce(problem, op->getOperand(m.other), m.axis);
    return;
  case Kind::PartialAndSplit:
    if (auto ref = factorIn(op, m.operand, rule, m.otherFactor))
      scatter(problem, operand, m.axis, *ref,
              cutsAs(op, rule, m.operand, m.other, m.otherFactor, m.axis));
    gather(problem, op->getOperand(m.other), m.axis);
    reduce(problem, operand, m.axis);
    complete(problem, operand, m.axis);
    beforeSum(problem, operand, m.axis);
    return;
  case Kind::NeedsLicence: {
    if (isAttention(op))
      return gatherAll(
          problem, SmallVector<Value>(op->getOperands().take_front(3)), m.axis);
    addLicence(problem, op, m.axis, operand);
    gather(problem, operand, m.axis);
    return;
  }
  case Kind::NeedsHalo:
    halo(problem, op, rule, m);
    attention(problem, op, m.axis);
    gather(problem, operand, m.axis);
    return;
  case Kind::NeedsWhole: {
    SmallVector<Value> split;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (splitsWhole(op, i, rule, axisText(m.axis, mesh)))
        split.push_back(op->getOperand(i));
    gatherAll(problem, split, m.axis);
    attention(problem, op, m.axis);
    return;
  }
  case Kind::Unaligned:
    if (!m.isResult &&
        llvm::is_contained(rule.operands[m.operand].picks, m.factor)) {
      SmallVector<Value> picked; // keys and values go in pairs
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (llvm::is_contained(rule.operands[i].picks, m.factor))
          picked.push_back(op->getOperand(i));
      replicate(problem, picked, m.axis);
      gatherAll(problem, picked, m.axis);
      return;
    }
    gather(problem, operand, m.axis);
    return;
  case Kind::NotInRule:
  case Kind::Ordered:
  case Kind::Nesting:
    gather(problem, operand, m.axis);
    return;
  case Kind::Sizes:
    for (auto [i, other] :
         {std::pair(m.operand, m.other), std::pair(m.other, m.operand)})
      if (auto ref = factorIn(op, i, rule, m.factor))
        resize(problem, op->getOperand(i), m.axis, *ref,
               cutsAs(op, rule, i, other, m.factor, m.axis));
    return;
  case Kind::TwoFactors:
    if (auto ref = factorIn(op, m.operand, rule, m.otherFactor))
      exchange(problem, operand, m.axis, *ref,
               cutsAs(op, rule, m.operand, m.other, m.otherFactor, m.axis));
    if (auto ref = factorIn(op, m.other, rule, m.factor))
      exchange(problem, op->getOperand(m.other), m.axis, *ref,
               cutsAs(op, rule, m.other, m.operand, m.factor, m.axis));
    gather(problem, operand, m.axis);
    gather(problem, op->getOperand(m.other), m.axis);
    return;
  case Kind::WholeAndSplit:
    if (auto ref = factorIn(op, m.operand, rule, m.factor)) {
      slice(problem, operand, m.axis, *ref,
            cutsAs(op, rule, m.operand, m.other, m.factor, m.axis));
      sliceAndReduce(problem, op, m.axis);
      shardSource(problem, operand, m.axis, *ref);
    }
    gather(problem, op->getOperand(m.other), m.axis);
    return;
  }
}
