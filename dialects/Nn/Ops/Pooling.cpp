//===- Pooling.cpp - shape, placement and derivative of poolings ----------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

//===-- Windows -----------------------------------------------------------===//

/// Of all dims: none of batch and channels.
template <class OpTy>
static SmallVector<std::optional<Window>> byDim(OpTy op, Value x) {
  SmallVector<std::optional<Window>> windows(2);
  for (auto [i, taps] : llvm::enumerate(op.getTaps())) {
    Window window;
    window.extent = dimsOf(x)[i + 2].getSize();
    window.kernel = taps;
    window.stride = op.getStrides()[i];
    window.dilation = op.getDilations()[i];
    window.low = op.getLows()[i];
    window.high = op.getHighs()[i] + op.getExtras()[i];
    windows.push_back(window);
  }
  return windows;
}

SmallVector<Value> PoolOp::getPositions() { return {getX()}; }
Value PoolOp::getWindowed() { return getResult(); }
SmallVector<std::optional<Window>> PoolOp::getWindows() {
  return byDim(*this, getX());
}
void PoolOp::setPadding(ArrayRef<int64_t> lows, ArrayRef<int64_t> highs) {
  setLows(lows);
  setHighs(highs);
  setExtras(SmallVector<int64_t>(lows.size(), 0));
}

SmallVector<Value> PoolGradOp::getPositions() {
  SmallVector<Value> values = {getResult()};
  if (getX())
    values.push_back(getX());
  return values;
}
Value PoolGradOp::getWindowed() { return getDy(); }
SmallVector<std::optional<Window>> PoolGradOp::getWindows() {
  return byDim(*this, getResult());
}
void PoolGradOp::setPadding(ArrayRef<int64_t> lows, ArrayRef<int64_t> highs) {
  setLows(lows);
  setHighs(highs);
  setExtras(SmallVector<int64_t>(lows.size(), 0));
}

//===-- Shapes ------------------------------------------------------------===//

/// (C1) and (C2).
template <class Adaptor>
static LogicalResult checkAttributes(std::optional<Location> location, Value x,
                                     Adaptor adaptor) {
  size_t rank = dimsOf(x).size();
  if (rank < 3 || rank > 5 || !isa<FloatType>(elementTypeOf(x)))
    return emitOptionalError(location,
                             "pool takes floats of 3 to 5 dims, batch, "
                             "channels and 1 to 3 dims to slide over, but x "
                             "is ",
                             describe(x.getType()));
  size_t spatial = rank - 2;
  auto isEach = [&](ArrayRef<int64_t> numbers, int64_t least) {
    return numbers.size() == spatial &&
           llvm::all_of(numbers, [&](int64_t n) { return n >= least; });
  };
  if (!isEach(adaptor.getTaps(), 1) || !isEach(adaptor.getStrides(), 1) ||
      !isEach(adaptor.getDilations(), 1) || !isEach(adaptor.getLows(), 0) ||
      !isEach(adaptor.getHighs(), 0) || !isEach(adaptor.getExtras(), 0))
    return emitOptionalError(
        location,
        "pool takes a number of taps, a stride and a dilation of at least 1 "
        "and a padding of at least 0 for each of its ",
        spatial, " spatial dims");
  return success();
}

LogicalResult PoolOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  if (failed(checkAttributes(location, x, adaptor)))
    return failure();
  SmallVector<DimAttr> dims;
  for (auto [i, window] : llvm::enumerate(byDim(adaptor, x))) {
    DimAttr dim = dimsOf(x)[i];
    if (window && failed(checkWindow(location, "pool", *window, dim, i))) // C3
      return failure();
    bool isSame = !window || window->results() == window->extent;
    dims.push_back(
        isSame ? dim : dimOf(context, dim.getDisplayName(), window->results()));
  }
  Type element = elementTypeOf(x);
  if (adaptor.getKind() == PoolKind::MaxIndex)
    element = IntegerType::get(context, 64);
  types.push_back(tensorOf(element, LayoutAttr::get(context, dims)));
  return success();
}

LogicalResult PoolGradOp::verify() {
  PoolOp::Properties forward;
  forward.kind = getKindAttr();
  forward.taps = getTapsAttr();
  forward.strides = getStridesAttr();
  forward.dilations = getDilationsAttr();
  forward.lows = getLowsAttr();
  forward.highs = getHighsAttr();
  forward.extras = getExtrasAttr();
  forward.counts_border = getCountsBorderAttr();
  SmallVector<Type> types;
  SmallVector<Value> operands = {getResult()};
  if (failed(PoolOp::inferReturnTypes(getContext(), getLoc(), operands,
                                      DictionaryAttr::get(getContext()),
                                      &forward, {}, types)))
    return failure();
  if (!haveSameShapes(types, getDy().getType())) // (C1)
    return emitOpError() << "is of a pooling that gives "
                         << describe(types.front()) << ", but dy is "
                         << describe(getDy().getType());
  bool isMax = getKind() == PoolKind::Max; // (C2)
  if (isMax != bool(getX()) ||
      (isMax && !haveSameShapes(getX().getType(), getResult().getType())))
    return emitOpError("takes an x of the type of the result for a maximum, "
                       "and none for a mean");
  return success();
}

//===-- Placement ---------------------------------------------------------===//

static PlacementRule ruleOf(WindowedOp op, ArrayRef<DimOf> positions,
                            DimOf windowed, PoolKind kind) {
  bool isMean = kind == PoolKind::Average, isIndex = kind == PoolKind::MaxIndex;
  RuleBuilder rule(op, isIndex ? "the place of the largest of sums is not that "
                                 "of the largest of their terms"
                       : isMean ? ""
                                : "the largest of sums is not the sum of the "
                                  "largest");
  auto at = [](DimOf value, int64_t dim) {
    value.dim = dim;
    return value;
  };
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    SmallVector<DimOf> slid;
    for (DimOf value : positions)
      slid.push_back(at(value, dim));
    DimOf made = at(windowed, dim);
    if (window) {
      rule.addWindows(slid, {made}, *window);
      continue;
    }
    slid.push_back(made);
    rule.add(slid);
  }
  bool isForward = windowed.isResult; // the gradient is linear in dy
  rule.partial(0, isIndex                ? PartialUse::Refused
                  : isForward && !isMean ? PartialUse::Maximal
                                         : PartialUse::Linear);
  return rule.take();
}

PlacementRule PoolOp::getPlacementRule() {
  return ruleOf(*this, {operand(0, 0)}, result(0), getKind());
}

PlacementRule PoolGradOp::getPlacementRule() {
  SmallVector<DimOf> positions = {result(0)};
  if (getX())
    positions.push_back(operand(1, 0));
  return ruleOf(*this, positions, operand(0, 0), getKind());
}

//===-- Derivatives -------------------------------------------------------===//

void PoolOp::differentiate(Derivative &d) {
  Value x = getKind() == PoolKind::Max ? d.read(getX()) : Value();
  // Positions are cut as those of x are.
  d.give(0, d.makeTyped<PoolGradOp>(getX().getType(), d.cotangent(), x,
                                    getKindAttr(), getTapsAttr(),
                                    getStridesAttr(), getDilationsAttr(),
                                    getLowsAttr(), getHighsAttr(),
                                    getExtrasAttr(), getCountsBorderAttr()));
}

void PoolGradOp::differentiate(Derivative &d) {
  d.refuse("the derivative of a gradient");
}
