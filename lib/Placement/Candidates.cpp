//===- Candidates.cpp - which lines a mismatch suggests -------------------===//

#include "Locations.h"
#include "Placer.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using Kind = Mismatch::Kind;

/// Where operand `operand` has what the other is split by, if it does.
static std::optional<FactorRef> factorIn(Operation *op, unsigned operand,
                                         const nn::PlacementRule &rule,
                                         int factor) {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
  for (auto [d, dim] : llvm::enumerate(rule.operands[operand].dims))
    for (auto [f, number] : llvm::enumerate(dim))
      if (number == factor)
        for (unsigned t = 0; t < layout.getDims()[d].getFactors().size(); ++t)
          if (layout.getDims()[d].getFactors()[t].getSize() ==
              rule.factors[factor].size)
            return FactorRef{unsigned(d), t};
  return std::nullopt;
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
      wayScatter(problem, operand, m.axis, *ref);
    wayGather(problem, op->getOperand(m.other), m.axis);
    wayReduce(problem, operand, m.axis);
    wayComplete(problem, operand, m.axis);
    return;
  case Kind::NeedsLicence: {
    WayOut way;
    way.kind = WayOut::Kind::Statistics;
    way.path = modelPath(op);
    way.over = {axisText(m.axis)};
    // Two sums of one number a row, each as an all_reduce.
    auto type = cast<RankedTensorType>(operand.getType());
    nn::LayoutAttr layout = nn::layoutOf(type);
    int64_t rows = localElements(layout, mesh);
    if (!layout.getDims().empty()) {
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
  case Kind::NeedsWhole: {
    SmallVector<Value> split;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (splitsWhole(op, i, rule, axisText(m.axis)))
        split.push_back(op->getOperand(i));
    wayGatherAll(problem, split, m.axis);
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
  case Kind::Nesting:
    wayGather(problem, operand, m.axis);
    return;
  case Kind::Sizes:
    wayGather(problem, operand, m.axis);
    wayGather(problem, op->getOperand(m.other), m.axis);
    return;
  case Kind::TwoFactors:
    if (auto ref = factorIn(op, m.operand, rule, m.otherFactor))
      wayExchange(problem, operand, m.axis, *ref);
    if (auto ref = factorIn(op, m.other, rule, m.factor))
      wayExchange(problem, op->getOperand(m.other), m.axis, *ref);
    wayGather(problem, operand, m.axis);
    wayGather(problem, op->getOperand(m.other), m.axis);
    return;
  case Kind::WholeAndSplit:
    if (auto ref = factorIn(op, m.operand, rule, m.factor)) {
      waySlice(problem, operand, m.axis, *ref);
      waySliceAndReduce(problem, op, m.axis);
    }
    wayGather(problem, op->getOperand(m.other), m.axis);
    return;
  }
}
