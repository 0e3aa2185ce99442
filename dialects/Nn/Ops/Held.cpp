//===- Held.cpp - what ranks hold beside what they own --------------------===//

#include "dialects/Nn/Held.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Program.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

static bool contains(Interval outer, Interval inner) {
  return inner.size == 0 ||
         (inner.offset >= outer.offset &&
          inner.offset + inner.size <= outer.offset + outer.size);
}

static std::string textOf(Interval part) {
  return "[" + std::to_string(part.offset) + ":" +
         std::to_string(part.offset + part.size) + "]";
}

static bool areTerms(LayoutAttr layout, int64_t dim, int64_t factor) {
  HeldAttr held = layout.heldOf(dim, factor);
  return held && held.getTerms();
}

/// (C2), (C3) of one factor.
static LogicalResult verifyFactor(HoldOp op, int64_t dim, int64_t factor,
                                  MeshAttr mesh) {
  LayoutAttr from = layoutOf(op.getX()), to = layoutOf(op.getResult());
  bool places = areTerms(to, dim, factor);
  if (areTerms(from, dim, factor))
    return op.emitOpError() << "takes of factor " << dim << "." << factor
                            << " what is to be added up first: terms";
  if (places && from.heldOf(dim, factor))
    return op.emitOpError() << "makes terms of copies of factor " << dim << "."
                            << factor << ", which would count them twice";
  SmallVector<Interval> has = heldParts(from, dim, factor, mesh),
                        gets = heldParts(to, dim, factor, mesh);
  if (has.size() != gets.size())
    return op.emitOpError() << "of factor " << dim << "." << factor << " "
                            << has.size() << " members have something, and "
                            << gets.size() << " get something";
  for (auto [member, pair] : llvm::enumerate(llvm::zip(has, gets))) {
    auto [mine, made] = pair;
    if (contains(places ? made : mine, places ? mine : made))
      continue;
    return op.emitOpError()
           << "of factor " << dim << "." << factor << " member " << member
           << " has " << textOf(mine) << ", which is "
           << (places ? "not in " : "not all of ") << textOf(made);
  }
  return success();
}

/// (C1) of both operations.
static LogicalResult verifySame(Operation *op) {
  Type x = op->getOperand(0).getType(), result = op->getResult(0).getType();
  if (layoutOf(x).withoutHeld() == layoutOf(result).withoutHeld() &&
      getElementTypeOrSelf(x) == getElementTypeOrSelf(result))
    return success();
  return op->emitOpError() << "changes what is held and nothing else, but x is "
                           << x << " and the result " << result;
}

LogicalResult HoldOp::verify() {
  LayoutAttr from = layoutOf(getX()), to = layoutOf(getResult());
  MeshAttr mesh = meshOf(getOperation());
  if (failed(verifySame(*this)))
    return failure();
  if (!mesh)
    return success();
  for (auto [dim, whole] : llvm::enumerate(from.getDims()))
    for (size_t factor = 0; factor < whole.getFactors().size(); ++factor)
      if (from.heldOf(dim, factor) != to.heldOf(dim, factor) &&
          failed(verifyFactor(*this, dim, factor, mesh)))
        return failure();
  return success();
}

LogicalResult ExchangeOp::verify() {
  LayoutAttr from = layoutOf(getX()), to = layoutOf(getResult());
  int64_t dim = getDim();
  if (failed(verifySame(*this)))
    return failure();
  if (dim < 0 || dim >= int64_t(from.getDims().size()) ||
      from.getDims()[dim].getFactors().size() != 1) // (C2)
    return emitOpError() << "moves margins of dim " << dim
                         << ", which is no dim of one factor";
  if (from.owning(dim, 0) != to.owning(dim, 0)) // (C1)
    return emitOpError() << "moves margins of dim " << dim
                         << ", but another one is held otherwise too";
  if ((getBack() ? to : from).heldOf(dim, 0)) // (C3)
    return emitOpError() << (getBack() ? "gives back" : "takes")
                         << " what ranks own of dim " << dim
                         << ", but the type says that they hold other parts";
  if (HeldAttr held = (getBack() ? from : to).heldOf(dim, 0);
      held && held.getTerms() != getBack())
    return emitOpError() << (getBack() ? "adds up terms, but takes copies"
                                       : "makes copies, but gives terms");
  if (!llvm::is_contained(
          ArrayRef<StringRef>{"neighbors", "all_to_all", "all_gather"},
          getStrategy())) // (C4)
    return emitOpError() << "moves by neighbors, all_to_all or all_gather, not "
                         << getStrategy();
  if (int64_t(getBefore()) < 0 || int64_t(getAfter()) < 0) // (C5)
    return emitOpError() << "is for windows of " << int64_t(getBefore())
                         << " positions before and " << int64_t(getAfter())
                         << " after their own";
  return success();
}

PlacementRule ExchangeOp::getPlacementRule() {
  RuleBuilder rule(*this);
  for (int64_t dim = 0, e = dimsOf(getX()).size(); dim < e; ++dim)
    rule.add({operand(0, dim), result(dim)});
  rule.partial(0, getBack() ? PartialUse::Linear : PartialUse::Any);
  return rule.take();
}

void ExchangeOp::differentiate(Derivative &d) {
  if (getBack())
    d.refuse("the derivative of a gradient");
  else
    d.give(0, d.makeTyped<ExchangeOp>(getX().getType(), d.cotangent(), getDim(),
                                      getBefore(), getAfter(), getStrategy(),
                                      /*back=*/true));
}
