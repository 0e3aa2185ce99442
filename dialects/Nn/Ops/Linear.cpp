//===- Linear.cpp - shape and placement of nn.linear ----------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// What is added up in f32, to which a bias of f32 can be added.
static bool isNarrow(Value x) {
  return elementTypeOf(x).isF16() || elementTypeOf(x).isBF16();
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), weight = adaptor.getWeight();
  Value bias = adaptor.getBias();
  ArrayRef<DimAttr> inputs = dimsOf(x), weights = dimsOf(weight);
  if (weights.size() != 2) // (C1)
    return emitOptionalError(location,
                             "linear takes a weight of 2 dims, but it is ",
                             describe(weight.getType()));
  int64_t in = adaptor.getTransposed() ? 0 : 1, out = 1 - in;
  if (inputs.empty() ||
      inputs.back().getSize() != weights[in].getSize()) // (C2)
    return emitOptionalError(
        location, "linear takes x with a last dim of ", weights[in].getSize(),
        ", the in dim of the weight ", describe(weight.getType()),
        ", but x is ", describe(x.getType()));
  if (bias && (dimsOf(bias).size() != 1 || // (C3)
               dimsOf(bias)[0].getSize() != weights[out].getSize()))
    return emitOptionalError(
        location, "linear takes a bias of one dim of ", weights[out].getSize(),
        ", the out dim of the weight ", describe(weight.getType()),
        ", but the bias is ", describe(bias.getType()));
  for (Value other : adaptor.getOperands()) // (C4)
    if (elementTypeOf(other) != elementTypeOf(x) &&
        !(other == bias && elementTypeOf(bias).isF32() && isNarrow(x)))
      return emitOptionalError(
          location, "linear takes tensors of one element type, but got ",
          describe(x.getType()), " and ", describe(other.getType()));
  SmallVector<DimAttr> dims(inputs.drop_back());
  dims.push_back(bias ? commonDim(weights[out], dimsOf(bias)[0])
                      : weights[out]);
  types.push_back(tensorOf(elementTypeOf(x), LayoutAttr::get(context, dims)));
  return success();
}

PlacementRule LinearOp::getPlacementRule() {
  RuleBuilder rule(*this, "the product of two sums is not the sum of the "
                          "products");
  int64_t in = getTransposed() ? 0 : 1, out = 1 - in;
  int64_t last = dimsOf(getX()).size() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    rule.add({operand(0, dim), result(dim)});
  SmallVector<DimOf> outs = {operand(1, out), result(last)};
  if (getBias())
    outs.push_back(operand(2, 0));
  rule.add(outs);
  rule.contract({operand(0, last), operand(1, in)}, Reduction::Sum);
  rule.partial(0, PartialUse::Linear);
  rule.partial(1, PartialUse::Linear);
  if (getBias())
    rule.partial(2, PartialUse::Addend);
  return rule.take();
}
