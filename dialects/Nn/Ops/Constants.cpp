//===- Constants.cpp - placement of sources and of names ------------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

PlacementRule FillOp::getPlacementRule() {
  RuleBuilder rule(*this);
  rule.addBroadcasting({});
  return rule.take();
}

LogicalResult IotaOp::verify() {
  int64_t rank = dimsOf(getResult()).size(), dim = getDim();
  if (dim < 0 || dim >= rank) // (C1)
    return emitOpError() << "counts along dim " << dim << " of "
                         << describe(getType());
  if (elementTypeOf(getResult()).isInteger(1)) // (C2)
    return emitOpError() << "gives numbers, but the result is "
                         << describe(getType());
  if (getLike() && tensorType(getLike()).getShape() !=
                       tensorType(getResult()).getShape()) // (C3)
    return emitOpError() << "counts like " << describe(getLike().getType())
                         << ", but the result is " << describe(getType());
  return success();
}

PlacementRule IotaOp::getPlacementRule() {
  RuleBuilder rule(*this, "positions are counted in complete values");
  int64_t rank = dimsOf(getResult()).size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<DimOf> dims = {result(dim)};
    if (getLike())
      dims.push_back(operand(0, dim));
    if (dim == int64_t(getDim()))
      rule.addPositions(dims);
    else
      rule.add(dims);
  }
  return rule.take();
}
