//===- Embedding.cpp - shape and placement of nn.embedding ----------------===//

#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"

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
