//===- MatMul.cpp - shape and placement of nn.matmul ----------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value a = adaptor.getA(), b = adaptor.getB();
  ArrayRef<DimAttr> left = dimsOf(a), right = dimsOf(b);
  auto got = [&] {
    return "a is " + describe(a.getType()) + ", b " + describe(b.getType());
  };
  if (left.size() < 2 || right.size() < 2)
    return emitOptionalError(
        location, "matmul takes tensors of 2 or more dims, but ", got());
  int64_t k = left.back().getSize();
  if (k != right.drop_back().back().getSize()) // (C1)
    return emitOptionalError(location, "matmul takes b with ", k,
                             " rows, the last dim of a, but ", got());
  auto dims = broadcastDims(left.drop_back(2), right.drop_back(2));
  if (failed(dims)) // (C2)
    return emitOptionalError(
        location,
        "matmul: the dims before the last two do not broadcast: ", got());
  if (elementTypeOf(a) != elementTypeOf(b)) // (C3)
    return emitOptionalError(
        location, "matmul takes tensors of one element type, but ", got());
  dims->push_back(left.drop_back().back());
  dims->push_back(right.back());
  types.push_back(tensorOf(elementTypeOf(a), LayoutAttr::get(context, *dims)));
  return success();
}

PlacementRule MatMulOp::getPlacementRule() {
  RuleBuilder rule(*this, "the product of two sums is not the sum of the "
                          "products");
  int64_t left = dimsOf(getA()).size(), right = dimsOf(getB()).size();
  int64_t rank = dimsOf(getResult()).size();
  rule.addBroadcasting({0, 1}, /*skip=*/2);
  rule.add({operand(0, left - 2), result(rank - 2)});
  rule.add({operand(1, right - 1), result(rank - 1)});
  rule.contract({operand(0, left - 1), operand(1, right - 2)}, Reduction::Sum);
  rule.partial(0, PartialUse::Linear);
  rule.partial(1, PartialUse::Linear);
  return rule.take();
}
