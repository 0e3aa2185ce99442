//===- Neighborhood.cpp - neighborhood attention as library calls ---------===//

#include "ClassPlanner.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// Everything but `out`.
template <class OpTy>
plan::NeighborhoodAttention ClassPlanner::neighborhoodOf(OpTy op) {
  plan::NeighborhoodAttention attention;
  attention.q = byDims(*op, op.getQ()).view();
  attention.k = byDims(*op, op.getK()).view();
  attention.v = byDims(*op, op.getV()).view();
  attention.scale = op.getScale().convertToDouble();
  auto table = [&](Attribute attribute) {
    return tables.scalar(cast<spmd::TableAttr>(attribute));
  };
  attention.group =
      op->template getAttrOfType<IntegerAttr>(spmd::kGroup).getInt();
  attention.headOffset = table(op->getAttr(spmd::kHeadOffset));
  attention.kvHeadOffset = table(op->getAttr(spmd::kKvHeadOffset));
  auto queries = op->template getAttrOfType<ArrayAttr>(spmd::kQueryOffsets);
  auto keys = op->template getAttrOfType<ArrayAttr>(spmd::kKeyOffsets);
  auto extents = op->template getAttrOfType<DenseI64ArrayAttr>(spmd::kExtents);
  for (size_t i = 0; i < op.getKernels().size(); ++i) {
    plan::NeighborhoodDim dim;
    dim.window = {extents[i], op.getKernels()[i], op.getStrides()[i],
                  op.getDilations()[i], op.getCausal()[i]};
    dim.queryOffset = table(queries[i]);
    dim.keyOffset = table(keys[i]);
    attention.dims.push_back(dim);
  }
  return attention;
}

/// Multiplications of q with k, and of the weights with v, twice, in windows
/// that no end cuts.
static std::pair<int64_t, int64_t>
flopsOf(const plan::NeighborhoodAttention &attention) {
  int64_t weights = 2;
  for (int64_t extent : ArrayRef(attention.q.shape).drop_back())
    weights *= extent;
  for (const plan::NeighborhoodDim &dim : attention.dims)
    weights *= dim.window.kernel;
  return {weights * attention.q.shape.back(),
          weights * attention.v.shape.back()};
}

LogicalResult ClassPlanner::planNeighborhood(nn::NeighborhoodAttentionOp op) {
  plan::NeighborhoodAttention attention = neighborhoodOf(op);
  attention.out = allocateBySeq(op.getResult()).view();
  auto [scores, sums] = flopsOf(attention);
  rankClass->budget.flops += scores + sums;
  emit(*op, attention);
  return success();
}

LogicalResult
ClassPlanner::planNeighborhoodGrad(nn::NeighborhoodAttentionGradOp op) {
  plan::NeighborhoodAttentionGrad gradient;
  gradient.forward = neighborhoodOf(op);
  gradient.forward.out = byDims(*op, op.getDout()).view();
  gradient.dq = placeGradient(op.getDq());
  gradient.dk = placeGradient(op.getDk());
  gradient.dv = placeGradient(op.getDv());
  auto [scores, sums] = flopsOf(gradient.forward);
  rankClass->budget.flops += 3 * scores + 2 * sums;
  emit(*op, gradient);
  return success();
}
