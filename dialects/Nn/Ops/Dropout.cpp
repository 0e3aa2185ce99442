//===- Dropout.cpp - shape and placement of nn.dropout --------------------===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult DropoutOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  double p = adaptor.getP().convertToDouble();
  if (!(p >= 0 && p < 1)) // (C1)
    return emitOptionalError(location,
                             "dropout takes a probability of at "
                             "least 0 and less than 1, but it is ",
                             p);
  Value x = adaptor.getX();
  if (failed(checkDraws(location, "dropout", adaptor.getStep(), // (C2), (C3)
                        adaptor.getStreamAttr())))
    return failure();
  if (!isa<FloatType>(elementTypeOf(x))) // (C4)
    return emitOptionalError(location, "dropout takes floats, but x is ",
                             describe(x.getType()));
  types.push_back(withLayout(tensorType(x), layoutOf(x).withoutPlacement()));
  return success();
}

PlacementRule DropoutOp::getPlacementRule() {
  RuleBuilder rule(*this, "dropout passes sums only");
  rule.addBroadcasting({0});
  // What is dropped depends on the element alone: every rank drops the same.
  rule.partial(0, PartialUse::Linear);
  return rule.take();
}

/// What was dropped gets nothing: the same elements are dropped again.
void DropoutOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  if (getStep())
    dy = d.make<DropoutOp>(dy, d.read(getStep()), getPAttr(), getStreamAttr());
  d.give(0, dy);
}
