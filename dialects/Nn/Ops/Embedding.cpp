//===- Embedding.cpp - shape and placement of nn.embedding ----------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value table = adaptor.getTable(), ids = adaptor.getIds();
  if (dimsOf(table).size() != 2) // (C1)
    return emitOptionalError(location,
                             "embedding takes a table of 2 dims, but it is ",
                             describe(table.getType()));
  Type element = elementTypeOf(ids);
  if (!isa<IntegerType>(element) || element.isInteger(1)) // (C2)
    return emitOptionalError(location,
                             "embedding takes ids that are integers, but they "
                             "are ",
                             describe(ids.getType()));
  SmallVector<DimAttr> dims(dimsOf(ids));
  dims.push_back(dimsOf(table)[1]);
  types.push_back(
      tensorOf(elementTypeOf(table), LayoutAttr::get(context, dims)));
  return success();
}

PlacementRule EmbeddingOp::getPlacementRule() {
  RuleBuilder rule(*this, "rows are looked up by complete ids");
  int64_t rank = dimsOf(getIds()).size();
  for (int64_t dim = 0; dim < rank; ++dim)
    rule.add({operand(1, dim), result(dim)});
  rule.add({operand(0, 1), result(rank)});
  // A rank that lacks the row of an id adds zero.
  rule.addPositions({operand(0, 0)}, FactorUse::Contracted);
  rule.partial(0, PartialUse::Linear);
  return rule.take();
}

void EmbeddingOp::differentiate(Derivative &d) {
  Value table = getTable();
  Type type =
      tensorOf(elementTypeOf(table), layoutOf(table).withoutPlacement());
  if (d.isWanted(0))
    d.give(0,
           d.makeTyped<EmbeddingGradOp>(type, d.read(getIds()), d.cotangent()));
}

LogicalResult nn::verifyEmbeddingGrad(Operation *op, Value ids, Value dy) {
  Value table = op->getResult(0);
  Type element = elementTypeOf(ids);
  if (!isa<IntegerType>(element) || element.isInteger(1)) // (C1)
    return op->emitOpError() << "takes ids that are integers, but they are "
                             << describe(ids.getType());
  if (dimsOf(table).size() != 2) // (C2)
    return op->emitOpError() << "gives a table of 2 dims, but the result is "
                             << describe(table.getType());
  SmallVector<DimAttr> dims(dimsOf(ids));
  dims.push_back(dimsOf(table)[1]);
  Type expected =
      tensorOf(elementTypeOf(table), LayoutAttr::get(op->getContext(), dims));
  if (!haveSameShapes(expected, dy.getType())) // (C3), (C4)
    return op->emitOpError() << "takes a dy of " << describe(expected)
                             << ", but it is " << describe(dy.getType());
  return success();
}

LogicalResult EmbeddingGradOp::verify() {
  return verifyEmbeddingGrad(*this, getIds(), getDy());
}

PlacementRule EmbeddingGradOp::getPlacementRule() {
  RuleBuilder rule(*this, "rows are looked up by complete ids");
  int64_t rank = dimsOf(getIds()).size();
  // Every id adds a row: ranks that split them hold terms of a sum.
  for (int64_t dim = 0; dim < rank; ++dim)
    rule.contract({operand(0, dim), operand(1, dim)}, Reduction::Sum);
  rule.add({operand(1, rank), result(1)});
  // Any rank can leave out the rows that are not its own.
  rule.addPositions({result(0)});
  rule.partial(1, PartialUse::Linear);
  return rule.take();
}

void EmbeddingGradOp::differentiate(Derivative &d) {
  d.refuse("the derivative of a gradient");
}
