//===- Held.cpp - whether types agree about what ranks hold ---------------===//

#include "dialects/Nn/Held.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// The elements of a dim behind one of its factors.
static int64_t minorOf(DimAttr dim, size_t factor) {
  int64_t minor = 1;
  for (FactorAttr next : dim.getFactors().drop_front(factor + 1))
    minor *= next.getSize();
  return minor;
}

int nn::ruleFactor(const PlacementRule &rule, const PlacementRule::Value &value,
                   DimAttr dim, int64_t number, int64_t factor) {
  int64_t minor = minorOf(dim, factor), passed = 1;
  if (number >= int64_t(value.dims.size()))
    return -1;
  for (int found : llvm::reverse(value.dims[number])) {
    int64_t size = found < 0 ? 1 : rule.factors[found].size;
    if (found >= 0 && passed == minor &&
        size == dim.getFactors()[factor].getSize())
      return found;
    passed *= size;
  }
  return -1;
}

RulePlace nn::placeOf(const PlacementRule &rule,
                      const PlacementRule::Value &value, LayoutAttr layout,
                      int wanted) {
  RulePlace place;
  for (auto [number, factors] : llvm::enumerate(value.dims)) {
    if (!llvm::is_contained(factors, wanted))
      continue;
    place.isThere = true;
    DimAttr dim = layout.getDims()[number];
    for (size_t factor = 0; factor < dim.getFactors().size(); ++factor)
      if (ruleFactor(rule, value, dim, number, factor) == wanted) {
        place.dim = number;
        place.factor = factor;
      }
  }
  return place;
}

namespace {
/// A value at an operation, and what ranks hold of a factor of the rule.
struct HeldHere {
  Value value;
  RulePlace place;
};
} // namespace

static HeldAttr heldOf(const HeldHere &here) {
  return layoutOf(here.value).heldOf(here.place.dim, here.place.factor);
}

static bool areSame(HeldAttr a, HeldAttr b) {
  return a == b || (a && b && a.getBegins() == b.getBegins() &&
                    a.getEnds() == b.getEnds());
}

/// All values that have the factor as one that is split.
static SmallVector<HeldHere> valuesOf(PlacedOp op, const PlacementRule &rule,
                                      int factor, bool areOperands) {
  SmallVector<HeldHere> list;
  auto add = [&](Value value, const PlacementRule::Value &has) {
    LayoutAttr layout = layoutOf(value);
    RulePlace place = placeOf(rule, has, layout, factor);
    if (place.dim >= 0 && !has.isLike &&
        !layout.splitsOf(place.dim, place.factor).empty())
      list.push_back({value, place});
  };
  if (areOperands)
    for (auto [value, has] : llvm::zip_equal(op->getOperands(), rule.operands))
      add(value, has);
  else
    for (auto [value, has] : llvm::zip_equal(op->getResults(), rule.results))
      add(value, has);
  return list;
}

static LogicalResult verifyFactor(PlacedOp op, const PlacementRule &rule,
                                  int factor) {
  SmallVector<HeldHere> read = valuesOf(op, rule, factor, true),
                        made = valuesOf(op, rule, factor, false);
  if (read.empty() && made.empty())
    return success();
  HeldAttr first = heldOf((read.empty() ? made : read).front());
  bool areTerms = false;
  for (const HeldHere &here : llvm::concat<HeldHere>(read, made)) {
    HeldAttr held = heldOf(here);
    areTerms |= held && held.getTerms();
    if (!areSame(held, first))
      return op->emitOpError()
             << "computes each position of dim " << here.place.dim
             << " by itself, but ranks hold others of " << here.value.getType()
             << " than of what else it reads or makes";
  }
  if (first && made.empty() && !areTerms)
    return op->emitOpError()
           << "adds up positions of which several ranks hold copies: each "
              "would count more than once";
  return success();
}

LogicalResult nn::verifyHeld(Operation *op) {
  auto holds = [](Value value) {
    LayoutAttr layout = layoutOf(value);
    return layout && !layout.getHeld().empty();
  };
  if (llvm::none_of(op->getOperands(), holds) &&
      llvm::none_of(op->getResults(), holds))
    return success();
  if (auto move = dyn_cast<RedistributeOp>(op)) {
    if (layoutOf(move.getX()).getHeld() == layoutOf(move.getResult()).getHeld())
      return success();
    return op->emitOpError() << "moves what is owned, and changes nothing of "
                                "what is held";
  }
  if (isa<HoldOp, ExchangeOp>(op))
    return success();
  auto placed = dyn_cast<PlacedOp>(op);
  if (!placed)
    return op->emitOpError() << "takes what ranks own, but holds other parts "
                                "than these";
  PlacementRule rule = placed.getPlacementRule();
  for (auto [number, factor] : llvm::enumerate(rule.factors))
    if (!factor.window && factor.windowsOf < 0 &&
        failed(verifyFactor(placed, rule, number)))
      return failure();
  return success();
}
