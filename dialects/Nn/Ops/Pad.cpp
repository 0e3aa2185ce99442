//===- Pad.cpp - borders around a tensor, and what lies within them -------===//
//
// Result o of nn.pad reads one position, o - low: a window of one. So what is
// known of windows over split dims holds for it, and a rank gets the positions
// of its part of the result, from itself, others or the border.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// Of the dims that change, or whose parts do.
template <class OpTy>
static SmallVector<std::optional<Window>> byDim(OpTy op, Value x) {
  SmallVector<std::optional<Window>> windows(dimsOf(x).size());
  for (auto [i, dim] : llvm::enumerate(dimsOf(x))) {
    Window window;
    window.extent = dim.getSize();
    window.low = op.getLows()[i];
    window.high = op.getHighs()[i];
    window.border = op.getBorders().getValue()[i];
    window.settles = op.getSettles() && *op.getSettles() == i;
    if (window.low != 0 || window.high != 0 || window.settles)
      windows[i] = window;
  }
  return windows;
}

SmallVector<Value> PadOp::getPositions() { return {getX()}; }
Value PadOp::getWindowed() { return getResult(); }
SmallVector<std::optional<Window>> PadOp::getWindows() {
  return byDim(*this, getX());
}
bool PadOp::addsZeros() { return false; }
void PadOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

SmallVector<Value> PadTransposeOp::getPositions() { return {getResult()}; }
Value PadTransposeOp::getWindowed() { return getY(); }
SmallVector<std::optional<Window>> PadTransposeOp::getWindows() {
  return byDim(*this, getResult());
}
bool PadTransposeOp::addsZeros() { return false; }
void PadTransposeOp::setPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  size_t rank = dimsOf(x).size();
  if (adaptor.getLows().size() != rank || adaptor.getHighs().size() != rank ||
      adaptor.getBorders().getValue().size() != rank) // (C1)
    return emitOptionalError(location,
                             "pad takes a low, a high and a border zero, "
                             "reflect, replicate or circular for each of the ",
                             rank, " dims of x");
  SmallVector<DimAttr> dims(dimsOf(x));
  for (auto [i, window] : llvm::enumerate(byDim(adaptor, x))) {
    if (!window)
      continue;
    if (failed(
            checkBorder(location, "pad extends ", *window, dims[i], i))) // (C2)
      return failure();
    int64_t size = window->extent + window->low + window->high;
    if (size < 0 || -window->low > window->extent ||
        -window->high > window->extent) // (C3)
      return emitOptionalError(location, "pad takes ", -window->low, " and ",
                               -window->high, " away from dim ", i, " of x ",
                               describe(x.getType()));
    if (size != window->extent)
      dims[i] = dimOf(context, dims[i].getDisplayName(), size);
  }
  types.push_back(tensorOf(elementTypeOf(x), LayoutAttr::get(context, dims)));
  return success();
}

LogicalResult PadTransposeOp::verify() {
  PadOp::Properties forward;
  forward.lows = getLowsAttr();
  forward.highs = getHighsAttr();
  forward.borders = getBordersAttr();
  forward.settles = getSettlesAttr();
  SmallVector<Type> types;
  SmallVector<Value> operands = {getResult()};
  if (failed(PadOp::inferReturnTypes(getContext(), getLoc(), operands,
                                     DictionaryAttr::get(getContext()),
                                     &forward, {}, types)))
    return failure();
  if (!haveSameShapes(types, getY().getType())) // (C1)
    return emitOpError() << "is of a pad that gives " << describe(types.front())
                         << ", but y is " << describe(getY().getType());
  return success();
}

static PlacementRule ruleOf(WindowedOp op, DimOf positions, DimOf windowed) {
  RuleBuilder rule(op);
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    positions.dim = windowed.dim = dim;
    if (window)
      rule.addWindows({positions}, {windowed}, *window);
    else
      rule.add({positions, windowed});
  }
  return rule.take();
}

PlacementRule PadOp::getPlacementRule() {
  PlacementRule rule = ruleOf(*this, operand(0, 0), result(0));
  rule.operands[0].partial = PartialUse::Any;
  return rule;
}

PlacementRule PadTransposeOp::getPlacementRule() {
  PlacementRule rule = ruleOf(*this, result(0), operand(0, 0));
  rule.operands[0].partial = PartialUse::Linear;
  return rule;
}

void PadOp::differentiate(Derivative &d) {
  // Positions are cut as those of x are.
  d.give(0, d.makeTyped<PadTransposeOp>(getX().getType(), d.cotangent(),
                                        getLowsAttr(), getHighsAttr(),
                                        getBordersAttr(), getSettlesAttr()));
}

void PadTransposeOp::differentiate(Derivative &d) {
  d.refuse("the derivative of a gradient");
}
