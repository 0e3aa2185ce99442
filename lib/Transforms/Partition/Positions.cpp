//===- Positions.cpp - which positions of the whole a rank has ------------===//

#include "Positions.h"
#include "dialects/Nn/MicroBatch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

spmd::PositionsAttr Positions::positionsFrom(spmd::TableAttr begin,
                                             int64_t extent) {
  return spmd::PositionsAttr::get(builder.getContext(), begin, extent);
}

LogicalResult Positions::refuseOffset(Operation &local, Value tensor,
                                      int64_t dim) {
  return local.emitError() << "needs one interval of dim " << dim
                           << " on each rank, found "
                           << nn::describe(tensor.getType()) << " placed "
                           << nn::describePlacement(nn::layoutOf(tensor))
                           << "; split the major factor of the dim";
}

FailureOr<spmd::PositionsAttr>
Positions::positionsOf(Operation &local, Value tensor, int64_t dim) {
  FailureOr<Place> place = shares.placeOf(nn::layoutOf(tensor), dim);
  if (failed(place))
    return refuseOffset(local, tensor, dim);
  return spmd::PositionsAttr::get(builder.getContext(), place->offset,
                                  sizeOf(tensor, dim), place->runs);
}

spmd::DrawsAttr Positions::drawsOf(Operation &op, nn::LayoutAttr layout,
                                   int64_t key) {
  spmd::BoxAttr box = shares.boxOf(layout);
  spmd::TableAttr first = shares.firstElement(box);
  if (auto before = op.getAttrOfType<IntegerAttr>(nn::kFirstDrawn))
    first = scaled(first, 1, before.getInt());
  return spmd::DrawsAttr::get(builder.getContext(), key, first, box);
}
