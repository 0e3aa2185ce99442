//===- Elementwise.cpp - shape and placement of element-wise operations ---===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

namespace {
/// What an element-wise function takes.
enum class Takes { Floats, Numbers, Bools, Anything };
} // namespace

static bool accepts(Takes takes, Type element) {
  bool isBool = element.isInteger(1);
  switch (takes) {
  case Takes::Floats:
    return isa<FloatType>(element);
  case Takes::Numbers:
    return !isBool;
  case Takes::Bools:
    return isBool;
  case Takes::Anything:
    return true;
  }
  return false;
}

static StringRef nameOf(Takes takes) {
  return takes == Takes::Floats    ? "floats"
         : takes == Takes::Numbers ? "numbers"
                                   : "bools";
}

static Takes unaryTakes(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Gelu:
  case UnaryKind::GeluTanh:
  case UnaryKind::Silu:
  case UnaryKind::Sigmoid:
  case UnaryKind::Tanh:
  case UnaryKind::Exp:
  case UnaryKind::Log:
  case UnaryKind::Sqrt:
  case UnaryKind::Rsqrt:
  case UnaryKind::Erf:
  case UnaryKind::Sin:
  case UnaryKind::Cos:
    return Takes::Floats;
  case UnaryKind::Relu:
  case UnaryKind::Abs:
  case UnaryKind::Neg:
    return Takes::Numbers;
  case UnaryKind::Not:
    return Takes::Bools;
  }
  llvm_unreachable("an enumerator");
}

static Takes binaryTakes(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
  case BinaryKind::Mul:
  case BinaryKind::Div:
  case BinaryKind::Pow:
  case BinaryKind::Maximum:
  case BinaryKind::Minimum:
  case BinaryKind::Lt:
  case BinaryKind::Le:
  case BinaryKind::Gt:
  case BinaryKind::Ge:
    return Takes::Numbers;
  case BinaryKind::And:
  case BinaryKind::Or:
    return Takes::Bools;
  case BinaryKind::Eq:
  case BinaryKind::Ne:
    return Takes::Anything;
  }
  llvm_unreachable("an enumerator");
}

static bool isComparison(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Eq:
  case BinaryKind::Ne:
  case BinaryKind::Lt:
  case BinaryKind::Le:
  case BinaryKind::Gt:
  case BinaryKind::Ge:
    return true;
  case BinaryKind::Add:
  case BinaryKind::Sub:
  case BinaryKind::Mul:
  case BinaryKind::Div:
  case BinaryKind::Pow:
  case BinaryKind::Maximum:
  case BinaryKind::Minimum:
  case BinaryKind::And:
  case BinaryKind::Or:
    return false;
  }
  llvm_unreachable("an enumerator");
}

LogicalResult UnaryOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  Takes takes = unaryTakes(adaptor.getKind());
  if (!accepts(takes, elementTypeOf(x))) // (C1)
    return emitOptionalError(location, stringifyUnaryKind(adaptor.getKind()),
                             " takes ", nameOf(takes), ", but x is ",
                             describe(x.getType()));
  types.push_back(withLayout(tensorType(x), layoutOf(x).withoutPlacement()));
  return success();
}

/// Increasing wherever a rank's share of a maximum or minimum may lie. log and
/// sqrt are not: that share may be negative where the whole is not, and is an
/// infinity where a rank has nothing.
static bool isMonotone(UnaryKind kind) {
  return llvm::is_contained({UnaryKind::Relu, UnaryKind::Sigmoid,
                             UnaryKind::Tanh, UnaryKind::Exp, UnaryKind::Erf},
                            kind);
}

PlacementRule UnaryOp::getPlacementRule() {
  UnaryKind kind = getKind();
  StringRef name = stringifyUnaryKind(kind);
  std::string reason =
      (name + " of a sum is not the sum of the " + name + " of its terms")
          .str();
  if (kind == UnaryKind::Log || kind == UnaryKind::Sqrt)
    reason += (", and a partial maximum or minimum may have no " + name).str();
  RuleBuilder rule(*this, reason);
  rule.addBroadcasting({0});
  if (kind == UnaryKind::Neg)
    rule.partial(0, PartialUse::Linear);
  else if (isMonotone(kind))
    rule.partial(0, PartialUse::Monotone);
  return rule.take();
}

LogicalResult BinaryOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value a = adaptor.getA(), b = adaptor.getB();
  StringRef name = stringifyBinaryKind(adaptor.getKind());
  Takes takes = binaryTakes(adaptor.getKind());
  if (elementTypeOf(a) != elementTypeOf(b)) // (C1)
    return emitOptionalError(
        location, name, " takes tensors of one element type, but a is ",
        describe(a.getType()), " and b ", describe(b.getType()));
  if (!accepts(takes, elementTypeOf(a))) // (C3)
    return emitOptionalError(location, name, " takes ", nameOf(takes),
                             ", but a is ", describe(a.getType()));
  auto dims = broadcastDims(dimsOf(a), dimsOf(b));
  if (failed(dims)) // (C2)
    return emitOptionalError(
        location, name, ": the shapes do not broadcast: ", "a is ",
        describe(a.getType()), ", b ", describe(b.getType()));
  Type element = isComparison(adaptor.getKind()) ? IntegerType::get(context, 1)
                                                 : elementTypeOf(a);
  types.push_back(tensorOf(element, LayoutAttr::get(context, *dims)));
  return success();
}

static std::string whyRefused(BinaryKind kind, Type element) {
  switch (kind) {
  case BinaryKind::Mul:
    return "the product of two sums is not the sum of the products";
  case BinaryKind::Div:
    return isa<FloatType>(element)
               ? "a quotient needs its complete denominator"
               : "integer division of a partial sum rounds each term";
  case BinaryKind::Pow:
    return "a power of a sum is not the sum of the powers";
  case BinaryKind::Maximum:
    return "the maximum of sums is not the sum of the maxima";
  case BinaryKind::Minimum:
    return "the minimum of sums is not the sum of the minima";
  case BinaryKind::Add:
  case BinaryKind::Sub:
    return "terms of a maximum or minimum cannot be added one by one";
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Eq:
  case BinaryKind::Ne:
  case BinaryKind::Lt:
  case BinaryKind::Le:
  case BinaryKind::Gt:
  case BinaryKind::Ge:
    return (stringifyBinaryKind(kind) +
            " of partial terms says nothing about the complete values")
        .str();
  }
  llvm_unreachable("an enumerator");
}

PlacementRule BinaryOp::getPlacementRule() {
  BinaryKind kind = getKind();
  Type element = elementTypeOf(getA());
  RuleBuilder rule(*this, whyRefused(kind, element));
  rule.addBroadcasting({0, 1});
  auto both = [&](PartialUse use) {
    rule.partial(0, use);
    rule.partial(1, use);
  };
  if (kind == BinaryKind::Add || kind == BinaryKind::Sub)
    both(PartialUse::Addend);
  else if (kind == BinaryKind::Mul)
    both(PartialUse::Linear);
  else if (kind == BinaryKind::Div && isa<FloatType>(element))
    rule.partial(0, PartialUse::Linear);
  else if (kind == BinaryKind::Maximum)
    both(PartialUse::Maximal);
  else if (kind == BinaryKind::Minimum)
    both(PartialUse::Minimal);
  return rule.take();
}

LogicalResult WhereOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Value condition = adaptor.getCondition();
  Value a = adaptor.getA(), b = adaptor.getB();
  if (!elementTypeOf(condition).isInteger(1)) // (C1)
    return emitOptionalError(location,
                             "where takes a condition of bools, but it is ",
                             describe(condition.getType()));
  if (elementTypeOf(a) != elementTypeOf(b)) // (C2)
    return emitOptionalError(location,
                             "where takes tensors of one element type, but a "
                             "is ",
                             describe(a.getType()), " and b ",
                             describe(b.getType()));
  auto dims = broadcastDims(dimsOf(a), dimsOf(b));
  if (succeeded(dims))
    dims = broadcastDims(*dims, dimsOf(condition));
  if (failed(dims)) // (C3)
    return emitOptionalError(
        location, "where: the shapes do not broadcast: the condition is ",
        describe(condition.getType()), ", a ", describe(a.getType()), ", b ",
        describe(b.getType()));
  types.push_back(tensorOf(elementTypeOf(a), LayoutAttr::get(context, *dims)));
  return success();
}

PlacementRule WhereOp::getPlacementRule() {
  RuleBuilder rule(*this, "where passes sums of a and b only, chosen by a "
                          "complete condition");
  rule.addBroadcasting({0, 1, 2});
  rule.partial(1, PartialUse::Addend);
  rule.partial(2, PartialUse::Addend);
  return rule.take();
}

LogicalResult CastOp::verify() {
  if (tensorType(getX()).getShape() != getType().getShape()) // (C1)
    return emitError() << "cast keeps the shape, but x is "
                       << describe(getX().getType()) << " and the result "
                       << describe(getType());
  return success();
}

/// Every value of `from` is a value of `to`.
static bool isExact(FloatType from, FloatType to) {
  const llvm::fltSemantics &a = from.getFloatSemantics();
  const llvm::fltSemantics &b = to.getFloatSemantics();
  return llvm::APFloat::isRepresentableBy(a, b);
}

PlacementRule CastOp::getPlacementRule() {
  auto from = dyn_cast<FloatType>(elementTypeOf(getX()));
  auto to = dyn_cast<FloatType>(getType().getElementType());
  bool isFloat = from && to;
  RuleBuilder rule(*this, isFloat
                              ? "a narrowing cast of a partial sum rounds each "
                                "term"
                              : "a cast to or from integers needs the complete "
                                "value");
  rule.addBroadcasting({0});
  if (elementTypeOf(getX()) == getType().getElementType() ||
      (isFloat && isExact(from, to)))
    rule.partial(0, PartialUse::Any);
  else if (isFloat)
    rule.partial(0, PartialUse::Monotone);
  return rule.take();
}
