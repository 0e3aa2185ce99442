//===- Reduce.cpp - shape and placement of nn.reduce ----------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// (C1) dims are dims of x, each once.
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
  StringRef kind = stringifyReduceKind(adaptor.getKind());
  if (failed(checkDims(location, kind, x, adaptor.getDims())))
    return failure();
  Type element = elementTypeOf(x);
  bool isMean = adaptor.getKind() == ReduceKind::Mean;
  if (isMean ? !isa<FloatType>(element) : element.isInteger(1)) // (C2)
    return emitOptionalError(location, kind, " takes ",
                             isMean ? "floats" : "numbers", ", but x is ",
                             describe(x.getType()));
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
static Reduction reductionOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return Reduction::Sum;
  case ReduceKind::Max:
    return Reduction::Max;
  case ReduceKind::Min:
    return Reduction::Min;
  }
  llvm_unreachable("an enumerator");
}

static PartialUse usedBy(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return PartialUse::Linear;
  case Reduction::Max:
    return PartialUse::Maximal;
  case Reduction::Min:
    return PartialUse::Minimal;
  }
  llvm_unreachable("an enumerator");
}

PlacementRule ReduceOp::getPlacementRule() {
  std::string kind = stringifyReduceKind(getKind()).str();
  Reduction reduction = reductionOf(getKind());
  bool isSum = reduction == Reduction::Sum;
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
    rule.contract({operand(0, dim)}, reduction);
    if (getKeepdim())
      rule.broadcast(result(kept++));
  }
  rule.partial(0, usedBy(reduction));
  return rule.take();
}
