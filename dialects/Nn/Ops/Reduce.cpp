//===- Reduce.cpp - shape and placement of nn.reduce ----------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Shape.h"

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
  if (!llvm::is_contained({"sum", "mean", "max"}, kind)) // (C1)
    return emitOptionalError(location, "'", kind,
                             "' is no reduction; there are sum, mean, max");
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

PlacementRule ReduceOp::getPlacementRule() {
  bool isMax = getKind() == "max";
  RuleBuilder rule(
      *this, isMax ? "the max of a sum is not the sum of the maxima"
                   : "a " + getKind().str() + " passes partial sums only");
  int64_t kept = 0;
  for (int64_t dim = 0, rank = dimsOf(getX()).size(); dim < rank; ++dim) {
    if (!llvm::is_contained(getDims(), dim)) {
      rule.add({operand(0, dim), result(kept++)});
      continue;
    }
    // The mean divides by the global count, so its terms are added as they are.
    rule.contract({operand(0, dim)}, isMax ? Reduction::Max : Reduction::Sum);
    if (getKeepdim())
      rule.broadcast(result(kept++));
  }
  rule.partial(0, isMax ? PartialUse::Maximal : PartialUse::Linear);
  return rule.take();
}
