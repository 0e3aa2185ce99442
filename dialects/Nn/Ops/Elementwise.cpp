//===- Elementwise.cpp - shape and placement of element-wise operations ---===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "llvm/ADT/StringSwitch.h"

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

static std::optional<Takes> unaryTakes(StringRef kind) {
  return llvm::StringSwitch<std::optional<Takes>>(kind)
      .Cases({"gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "exp", "log"},
             Takes::Floats)
      .Cases({"sqrt", "rsqrt", "erf", "sin", "cos"}, Takes::Floats)
      .Cases({"relu", "abs", "neg"}, Takes::Numbers)
      .Case("not", Takes::Bools)
      .Default(std::nullopt);
}

static std::optional<Takes> binaryTakes(StringRef kind) {
  return llvm::StringSwitch<std::optional<Takes>>(kind)
      .Cases({"add", "sub", "mul", "div", "pow", "maximum", "minimum"},
             Takes::Numbers)
      .Cases({"lt", "le", "gt", "ge"}, Takes::Numbers)
      .Cases({"and", "or"}, Takes::Bools)
      .Cases({"eq", "ne"}, Takes::Anything)
      .Default(std::nullopt);
}

static bool isComparison(StringRef kind) {
  return llvm::is_contained({"eq", "ne", "lt", "le", "gt", "ge"}, kind);
}

LogicalResult UnaryOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  StringRef kind = adaptor.getKind();
  std::optional<Takes> takes = unaryTakes(kind);
  if (!takes) // (C1)
    return emitOptionalError(location, "'", kind,
                             "' is no function of one element; there are gelu, "
                             "gelu_tanh, silu, relu, sigmoid, tanh, exp, log, "
                             "sqrt, rsqrt, erf, abs, neg, not, sin, cos");
  if (!accepts(*takes, elementTypeOf(x))) // (C2)
    return emitOptionalError(location, kind, " takes ", nameOf(*takes),
                             ", but x is ", describe(x.getType()));
  types.push_back(withLayout(tensorType(x), layoutOf(x).withoutPlacement()));
  return success();
}

/// Increasing wherever a rank's share of a maximum or minimum may lie. log and
/// sqrt are not: that share may be negative where the whole is not, and is an
/// infinity where a rank has nothing.
static bool isMonotone(StringRef kind) {
  return llvm::is_contained({"relu", "sigmoid", "tanh", "exp", "erf"}, kind);
}

PlacementRule UnaryOp::getPlacementRule() {
  StringRef kind = getKind();
  std::string reason =
      (kind + " of a sum is not the sum of the " + kind + " of its terms")
          .str();
  if (kind == "log" || kind == "sqrt")
    reason += (", and a partial maximum or minimum may have no " + kind).str();
  RuleBuilder rule(*this, reason);
  rule.addBroadcasting({0});
  if (kind == "neg")
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
  StringRef kind = adaptor.getKind();
  std::optional<Takes> takes = binaryTakes(kind);
  if (!takes) // (C3)
    return emitOptionalError(location, "'", kind,
                             "' is no function of two elements; there are add, "
                             "sub, mul, div, pow, maximum, minimum, and, or, "
                             "eq, ne, lt, le, gt, ge");
  if (elementTypeOf(a) != elementTypeOf(b)) // (C1)
    return emitOptionalError(
        location, kind, " takes tensors of one element type, but a is ",
        describe(a.getType()), " and b ", describe(b.getType()));
  if (!accepts(*takes, elementTypeOf(a))) // (C4)
    return emitOptionalError(location, kind, " takes ", nameOf(*takes),
                             ", but a is ", describe(a.getType()));
  auto dims = broadcastDims(dimsOf(a), dimsOf(b));
  if (failed(dims)) // (C2)
    return emitOptionalError(
        location, kind, ": the shapes do not broadcast: ", "a is ",
        describe(a.getType()), ", b ", describe(b.getType()));
  Type element =
      isComparison(kind) ? IntegerType::get(context, 1) : elementTypeOf(a);
  types.push_back(tensorOf(element, LayoutAttr::get(context, *dims)));
  return success();
}

static std::string whyRefused(StringRef kind, Type element) {
  if (kind == "mul")
    return "the product of two sums is not the sum of the products";
  if (kind == "div")
    return isa<FloatType>(element)
               ? "a quotient needs its complete denominator"
               : "integer division of a partial sum rounds each term";
  if (kind == "pow")
    return "a power of a sum is not the sum of the powers";
  if (kind == "maximum" || kind == "minimum")
    return ("the " + kind + " of sums is not the sum of the " +
            (kind == "maximum" ? "maxima" : "minima"))
        .str();
  if (kind == "add" || kind == "sub")
    return "terms of a maximum or minimum cannot be added one by one";
  return (kind + " of partial terms says nothing about the complete values")
      .str();
}

PlacementRule BinaryOp::getPlacementRule() {
  StringRef kind = getKind();
  Type element = elementTypeOf(getA());
  RuleBuilder rule(*this, whyRefused(kind, element));
  rule.addBroadcasting({0, 1});
  auto both = [&](PartialUse use) {
    rule.partial(0, use);
    rule.partial(1, use);
  };
  if (kind == "add" || kind == "sub")
    both(PartialUse::Addend);
  else if (kind == "mul")
    both(PartialUse::Linear);
  else if (kind == "div" && isa<FloatType>(element))
    rule.partial(0, PartialUse::Linear);
  else if (kind == "maximum")
    both(PartialUse::Maximal);
  else if (kind == "minimum")
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
