//===- Held.cpp - whether types agree about what ranks hold ---------------===//

#include "dialects/Nn/Held.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
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

bool nn::holdTheSame(HeldAttr a, HeldAttr b) {
  return a == b || (a && b && a.getBegins() == b.getBegins() &&
                    a.getEnds() == b.getEnds() && a.getRows() == b.getRows());
}

HeldAttr nn::heldOf(MLIRContext *context, RulePlace place,
                    ArrayRef<Interval> parts) {
  SmallVector<int64_t> begins, ends;
  for (Interval part : parts) {
    begins.push_back(part.offset);
    ends.push_back(part.offset + part.size);
  }
  return HeldAttr::get(context, place.dim, place.factor, begins, ends,
                       /*terms=*/false, /*rows=*/nullptr);
}

/// The interval from the first to the last of them, if they are all of it.
static std::optional<Interval> intervalOf(ArrayRef<int64_t> rows,
                                          Interval own) {
  if (rows.empty())
    return Interval{own.offset, 0};
  int64_t size = rows.size();
  if (rows.back() - rows.front() + 1 != size)
    return std::nullopt;
  return Interval{rows.front(), size};
}

HeldAttr nn::heldRows(MLIRContext *context, RulePlace place,
                      ArrayRef<SmallVector<int64_t>> rows,
                      ArrayRef<Interval> own) {
  SmallVector<Attribute> lists;
  SmallVector<Interval> parts;
  for (auto [list, owned] : llvm::zip_equal(rows, own)) {
    lists.push_back(DenseI64ArrayAttr::get(context, list));
    if (std::optional<Interval> part = intervalOf(list, owned))
      parts.push_back(*part);
  }
  if (parts.size() == rows.size())
    return heldOf(context, place, parts);
  return HeldAttr::get(context, place.dim, place.factor, {}, {},
                       /*terms=*/false, ArrayAttr::get(context, lists));
}

HeldAttr nn::heldAt(HeldAttr held, RulePlace place, bool areTerms) {
  return HeldAttr::get(held.getContext(), place.dim, place.factor,
                       held.getBegins(), held.getEnds(), areTerms,
                       held.getRows());
}

bool nn::computesAlone(Operation *op) {
  return isa<PlacedOp>(op) && !op->hasAttr("nn.statistics") &&
         !isa<DropoutOp, NormalizeOp, IotaOp, ParameterOp, StateOp,
              RedistributeOp>(op);
}

Value nn::holdAs(OpBuilder &builder, Location loc, Value x, LayoutAttr layout) {
  if (layoutOf(x) == layout)
    return x;
  Type type = withLayout(cast<RankedTensorType>(x.getType()), layout);
  return HoldOp::create(builder, loc, type, x);
}

static SmallVector<PartHere> valuesWith(ValueRange values,
                                        ArrayRef<PlacementRule::Value> have,
                                        const PlacementRule &rule, int factor) {
  SmallVector<PartHere> list;
  for (auto [number, value] : llvm::enumerate(values)) {
    LayoutAttr layout = layoutOf(value);
    RulePlace place = placeOf(rule, have[number], layout, factor);
    if (place.dim >= 0 && !have[number].isLike &&
        !layout.splitsOf(place.dim, place.factor).empty())
      list.push_back({value, unsigned(number), place});
  }
  return list;
}

SmallVector<PartHere> nn::operandsWith(PlacedOp op, const PlacementRule &rule,
                                       int factor) {
  return valuesWith(op->getOperands(), rule.operands, rule, factor);
}

SmallVector<PartHere> nn::resultsWith(PlacedOp op, const PlacementRule &rule,
                                      int factor) {
  return valuesWith(op->getResults(), rule.results, rule, factor);
}

static LogicalResult verifyFactor(PlacedOp op, const PlacementRule &rule,
                                  int factor) {
  SmallVector<PartHere> read = operandsWith(op, rule, factor),
                        made = resultsWith(op, rule, factor);
  if (read.empty() && made.empty())
    return success();
  HeldAttr first = (read.empty() ? made : read).front().getHeld();
  bool areTerms = false;
  for (const PartHere &here : llvm::concat<PartHere>(read, made)) {
    HeldAttr held = here.getHeld();
    areTerms |= held && held.getTerms();
    if (!holdTheSame(held, first))
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

bool nn::isPicked(const PlacementRule &rule, int factor) {
  return llvm::any_of(rule.operands, [&](const PlacementRule::Value &value) {
    return llvm::is_contained(value.picks, factor);
  });
}

/// Of what is picked from ranks hold the same copies, in all operands, and of
/// its gradients terms of that; of what picks they hold what they own.
static LogicalResult verifyPicked(PlacedOp op, const PlacementRule &rule,
                                  int factor) {
  HeldAttr first;
  bool isFirst = true;
  auto verify = [&](const PartHere &here, const PlacementRule::Value &value,
                    bool isResult) -> LogicalResult {
    HeldAttr held = here.getHeld();
    bool isPicked = llvm::is_contained(value.picks, factor);
    if (isPicked && std::exchange(isFirst, false))
      first = held;
    if (holdTheSame(held, isPicked ? first : HeldAttr()) &&
        (!held || held.getTerms() == isResult))
      return success();
    return op->emitOpError()
           << "picks from dim " << here.place.dim
           << " what ranks hold alike, as copies of what it reads and as terms "
              "of what it makes, but holds otherwise of "
           << here.value.getType();
  };
  for (const PartHere &here : operandsWith(op, rule, factor))
    if (failed(verify(here, rule.operands[here.number], /*isResult=*/false)))
      return failure();
  for (const PartHere &here : resultsWith(op, rule, factor))
    if (failed(verify(here, rule.results[here.number], /*isResult=*/true)))
      return failure();
  return success();
}

/// An all_to_all may make copies of what it cuts, and adds up terms of what it
/// joins.
static LogicalResult verifyMoved(RedistributeOp move) {
  auto others = [&](Value value, bool areTerms) {
    LayoutAttr layout = layoutOf(value);
    SmallVector<HeldAttr> held(layout.getHeld());
    llvm::erase_if(held, [&](HeldAttr part) {
      return move.getKind() == RedistributeKind::AllToAll &&
             part.getTerms() == areTerms &&
             llvm::any_of(layout.splitsOf(part.getDim(), part.getFactor()),
                          [&](SplitAttr split) {
                            return llvm::is_contained(
                                move.getAxes(), Attribute(split.getAxis()));
                          });
    });
    return held;
  };
  if (others(move.getX(), /*areTerms=*/true) ==
      others(move.getResult(), /*areTerms=*/false))
    return success();
  return move.emitOpError() << "moves what is owned, and changes nothing of "
                               "what is held";
}

/// What types list is of all members, and what these own is among it.
static LogicalResult verifyListed(Operation *op, Value value, HeldAttr held,
                                  MeshAttr mesh) {
  LayoutAttr layout = layoutOf(value);
  int64_t dim = held.getDim(), factor = held.getFactor();
  auto own = heldParts(layout.owning(dim, factor), dim, factor, mesh);
  if (int64_t(own.size()) != held.getMembers())
    return op->emitOpError()
           << "has " << own.size() << " members that own parts of factor "
           << dim << "." << factor << ", and " << held.getMembers()
           << " that hold something, of " << value.getType();
  for (int64_t member = 0; held.getRows() && member < held.getMembers();
       ++member) {
    ArrayRef<int64_t> rows = held.rowsOf(member);
    auto [begin, size] = own[member];
    auto first = llvm::lower_bound(rows, begin),
         last = llvm::lower_bound(rows, begin + size);
    int64_t extent = layout.getDims()[dim].getFactors()[factor].getSize();
    if (last - first != size || (!rows.empty() && rows.back() >= extent))
      return op->emitOpError()
             << "has a member " << member << " that holds rows of factor "
             << dim << "." << factor << " which are not of [0:" << extent
             << "], or without [" << begin << ":" << begin + size
             << "], which it owns, of " << value.getType();
  }
  return success();
}

static LogicalResult verifyLists(Operation *op) {
  MeshAttr mesh = meshOf(op);
  for (Value result : op->getResults())
    if (LayoutAttr layout = layoutOf(result); layout && mesh)
      for (HeldAttr held : layout.getHeld())
        if (failed(verifyListed(op, result, held, mesh)))
          return failure();
  return success();
}

LogicalResult nn::verifyHeld(Operation *op) {
  if (failed(verifyLists(op)))
    return failure();
  if (auto windowed = dyn_cast<WindowedOp>(op);
      windowed && failed(verifyWindowsHeld(windowed)))
    return failure();
  auto holds = [](Value value) {
    LayoutAttr layout = layoutOf(value);
    return layout && !layout.getHeld().empty();
  };
  if (llvm::none_of(op->getOperands(), holds) &&
      llvm::none_of(op->getResults(), holds))
    return success();
  if (auto move = dyn_cast<RedistributeOp>(op))
    return verifyMoved(move);
  if (isa<HoldOp, ExchangeOp>(op))
    return success();
  if (!computesAlone(op))
    return op->emitOpError() << "takes what ranks own, but holds other parts "
                                "than these";
  auto placed = cast<PlacedOp>(op);
  PlacementRule rule = placed.getPlacementRule();
  for (auto [number, factor] : llvm::enumerate(rule.factors))
    if (!factor.window && factor.windowsOf < 0 &&
        failed(isPicked(rule, number) ? verifyPicked(placed, rule, number)
                                      : verifyFactor(placed, rule, number)))
      return failure();
  return success();
}
