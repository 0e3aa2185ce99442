//===- Rotary.cpp - shape and placement of nn.rotary ----------------------===//

#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// None where the attribute is left out.
static ArrayRef<double> listed(DenseF64ArrayAttr frequencies) {
  return frequencies ? frequencies.asArrayRef() : ArrayRef<double>();
}

LogicalResult RotaryOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX();
  int64_t rank = dimsOf(x).size(), dim = adaptor.getDim();
  if (rank < 2 || dimsOf(x).back().getSize() % 2 != 0) // (C1)
    return emitOptionalError(
        location,
        "rotary takes x of 2 or more dims, the last one even, but x "
        "is ",
        describe(x.getType()));
  if (dim < 0 || dim >= rank - 1)
    return emitOptionalError(location,
                             "rotary takes positions on a dim from 0 "
                             "to ",
                             rank - 2, " of x ", describe(x.getType()),
                             ", but got dim ", dim);
  if (!(adaptor.getBase().convertToDouble() > 0)) // (C2)
    return emitOptionalError(location,
                             "rotary takes a base above 0, but it "
                             "is ",
                             adaptor.getBase().convertToDouble());
  if (!isa<FloatType>(elementTypeOf(x))) // (C3)
    return emitOptionalError(location, "rotary takes x of floats, but it is ",
                             describe(x.getType()));
  size_t pairs = dimsOf(x).back().getSize() / 2;
  size_t given = listed(adaptor.getFrequenciesAttr()).size();
  if (given != 0 && given != pairs) // (C4)
    return emitOptionalError(location, "rotary takes ", pairs,
                             " frequencies, half of the last dim, but got ",
                             given);
  types.push_back(withLayout(tensorType(x), layoutOf(x).withoutPlacement()));
  return success();
}

PlacementRule RotaryOp::getPlacementRule() {
  RuleBuilder rule(*this, "rotary passes sums only");
  int64_t last = dimsOf(getX()).size() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    if (dim == int64_t(getDim()))
      rule.addPositions({operand(0, dim), result(dim)});
    else
      rule.add({operand(0, dim), result(dim)});
  rule.add({operand(0, last), result(last)}, FactorUse::Whole,
           "rotary turns pairs of elements of the last dim");
  rule.partial(0, PartialUse::Linear);
  return rule.take();
}

void RotaryOp::differentiate(Derivative &d) {
  d.give(0, d.make<RotaryOp>(
                d.cotangent(), getDimAttr(), getBaseAttr(), getStyleAttr(),
                d.builder().getBoolAttr(!getInverse()), getFrequenciesAttr()));
}
