//===- Reduce.cpp - shape and placement of nn.reduce ----------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// (C2) dims are dims of x, each once.
static LogicalResult checkDims(std::optional<Location> location, StringRef kind,
                               Value x, ArrayRef<int64_t> dims) {
  int64_t rank = dimsOf(x).size();
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(location, kind, " over dim ", dim, " of x ",
                               describe(x.getType()), ", which has ", rank,
                               " dims");
    if (llvm::is_contained(dims.take_front(index), dim))
      return emitOptionalError(location, kind, " names dim ", dim, " twice");
  }
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  StringRef kind = adaptor.getKind();
  if (!llvm::is_contained({"sum", "mean", "max", "min"}, kind)) // (C1)
    return emitOptionalError(
        location, "'", kind,
        "' is no reduction; there are sum, mean, max, min");
  if (failed(checkDims(location, kind, x, adaptor.getDims())))
    return failure();
  Type element = elementTypeOf(x);
  if (kind == "mean" ? !isa<FloatType>(element) : element.isInteger(1)) // (C3)
    return emitOptionalError(location, kind, " takes ",
                             kind == "mean" ? "floats" : "numbers",
                             ", but x is ", describe(x.getType()));
  SmallVector<DimAttr> dims;
  for (auto [index, dim] : llvm::enumerate(dimsOf(x)))
    if (!llvm::is_contained(adaptor.getDims(), int64_t(index)))
      dims.push_back(dim);
    else if (adaptor.getKeepdim())
      dims.push_back(dimOf(context, "", 1));
  types.push_back(tensorOf(element, LayoutAttr::get(context, dims)));
  return success();
}

/// By what the terms of split dims are reduced. The mean divides by the global
/// count, so its terms are added as they are.
static Reduction reductionOf(StringRef kind) {
  return llvm::StringSwitch<Reduction>(kind)
      .Case("max", Reduction::Max)
      .Case("min", Reduction::Min)
      .Default(Reduction::Sum);
}

static PartialUse usedBy(StringRef kind) {
  return llvm::StringSwitch<PartialUse>(kind)
      .Case("max", PartialUse::Maximal)
      .Case("min", PartialUse::Minimal)
      .Default(PartialUse::Linear);
}

PlacementRule ReduceOp::getPlacementRule() {
  std::string kind = getKind().str();
  bool isSum = reductionOf(kind) == Reduction::Sum;
  RuleBuilder rule(*this, isSum ? "a " + kind + " passes partial sums only"
                                : "the " + kind +
                                      " of a sum is not the sum of the " +
                                      kind + "ima");
  int64_t kept = 0;
  for (int64_t dim = 0, rank = dimsOf(getX()).size(); dim < rank; ++dim) {
    if (!llvm::is_contained(getDims(), dim)) {
      rule.add({operand(0, dim), result(kept++)});
      continue;
    }
    rule.contract({operand(0, dim)}, reductionOf(kind));
    if (getKeepdim())
      rule.broadcast(result(kept++));
  }
  rule.partial(0, usedBy(kind));
  return rule.take();
}
