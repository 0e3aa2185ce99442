//===- Held.cpp - what ranks hold beside what they own --------------------===//

#include "dialects/Nn/Held.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Program.h"
#include "llvm/ADT/MapVector.h"

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
static LogicalResult verifySame(Operation *op, unsigned number = 0) {
  Type x = op->getOperand(number).getType(),
       result = op->getResult(number).getType();
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

/// (C1) to (C3) of one value.
static LogicalResult verifyValue(ExchangeOp op, unsigned number) {
  LayoutAttr from = layoutOf(op.getXs()[number]),
             to = layoutOf(op.getMade()[number]);
  int64_t dim = op.getDim();
  bool isBack = op.getBack();
  if (failed(verifySame(op, number)))
    return failure();
  if (dim < 0 || dim >= int64_t(from.getDims().size()) ||
      from.getDims()[dim].getFactors().size() != 1) // (C2)
    return op.emitOpError() << "moves margins of dim " << dim
                            << ", which is no dim of one factor";
  if (from.owning(dim, 0) != to.owning(dim, 0)) // (C1)
    return op.emitOpError() << "moves margins of dim " << dim
                            << ", but another one is held otherwise too";
  if ((isBack ? to : from).heldOf(dim, 0)) // (C3)
    return op.emitOpError()
           << (isBack ? "gives back" : "takes") << " what ranks own of dim "
           << dim << ", but the type says that they hold other parts";
  if (HeldAttr held = (isBack ? from : to).heldOf(dim, 0);
      held && held.getTerms() != isBack)
    return op.emitOpError() << (isBack ? "adds up terms, but takes copies"
                                       : "makes copies, but gives terms");
  return success();
}

static HeldAttr movedOf(ExchangeOp op, unsigned number) {
  Value value = op.getBack() ? op.getXs()[number] : op.getMade()[number];
  return layoutOf(value).heldOf(op.getDim(), 0);
}

LogicalResult ExchangeOp::verify() {
  if (getXs().empty() || getXs().size() != getMade().size()) // (C6)
    return emitOpError() << "moves margins of " << getXs().size()
                         << " values, but has " << getMade().size()
                         << " results";
  for (unsigned number = 0; number < getXs().size(); ++number) {
    if (failed(verifyValue(*this, number)))
      return failure();
    if (!holdTheSame(movedOf(*this, number), movedOf(*this, 0))) // (C7)
      return emitOpError() << "moves at once what is held alike, but value "
                           << number << " is held otherwise than value 0";
  }
  if (!llvm::is_contained(
          ArrayRef<StringRef>{"neighbors", "all_to_all", "all_gather"},
          getStrategy())) // (C4)
    return emitOpError() << "moves by neighbors, all_to_all or all_gather, not "
                         << getStrategy();
  if (int64_t(getBefore()) < 0 || int64_t(getAfter()) < 0) // (C5)
    return emitOpError() << "is for windows of " << int64_t(getBefore())
                         << " positions before and " << int64_t(getAfter())
                         << " after their own";
  if (getOverlap() && getStrategy() == "all_gather") // (C8)
    return emitOpError("is computed beside, but by an all_gather, which is "
                       "waited for");
  return success();
}

/// Dims of values that move at once are one index where they are as long.
PlacementRule ExchangeOp::getPlacementRule() {
  RuleBuilder rule(*this);
  for (int64_t dim = 0, e = dimsOf(getXs().front()).size(); dim < e; ++dim) {
    SmallVector<DimOf> same;
    for (unsigned number = 0; number < getXs().size(); ++number) {
      DimOf x = operand(number, dim), made = resultOf(number, dim);
      if (rule.sizeOf(x) == rule.sizeOf(operand(0, dim)))
        same.append({x, made});
      else
        rule.add({x, made});
    }
    rule.add(same);
  }
  for (unsigned number = 0; number < getXs().size(); ++number)
    rule.partial(number, getBack() ? PartialUse::Addend : PartialUse::Any);
  return rule.take();
}

/// Gradients that are placed alike move at once: a rule says that all results
/// are partial where one operand is.
void ExchangeOp::differentiate(Derivative &d) {
  llvm::MapVector<LayoutAttr, SmallVector<unsigned>> alike;
  for (unsigned number = 0; number < getXs().size(); ++number)
    if (d.isWanted(number) && d.cotangent(number))
      alike[layoutOf(d.cotangent(number))].push_back(number);
  for (const auto &[layout, numbers] : alike) {
    SmallVector<Value> cotangents;
    SmallVector<Type> types;
    for (unsigned number : numbers) {
      cotangents.push_back(d.cotangent(number));
      types.push_back(getXs()[number].getType());
    }
    auto moved = d.makeTyped<ExchangeOp>(
        TypeRange(types), cotangents, getDim(), getBefore(), getAfter(),
        getStrategy(), getBorder(), getOverlap(), /*back=*/!getBack());
    for (auto [number, gradient] : llvm::zip(numbers, moved.getMade()))
      d.give(number, gradient);
  }
}
