//===- Attention.cpp - which heads and positions a rank attends to --------===//

#include "ClassBuilder.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

static int64_t sizeOf(Value tensor, int64_t dim) {
  return nn::layoutOf(tensor).getDims()[dim].getSize();
}

/// The layout of attention's weights, [b, h, s, t], of which a rank holds the
/// rows of its queries.
static nn::LayoutAttr weightsLayout(Value q, Value k) {
  nn::LayoutAttr queries = nn::layoutOf(q);
  SmallVector<nn::DimAttr> dims(queries.getDims().drop_back());
  dims.push_back(nn::layoutOf(k).getDims()[2]);
  SmallVector<nn::SplitAttr> splits;
  llvm::copy_if(queries.getSplits(), std::back_inserter(splits),
                [](nn::SplitAttr split) { return split.getDim() < 3; });
  return nn::LayoutAttr::get(q.getContext(), dims, splits, {});
}

/// Weights are dropped in training only.
template <class OpTy> void ClassBuilder::dropWeights(OpTy op, OpTy local) {
  if (op.getStep() && op.getDropout().convertToDouble() > 0)
    return setDraws(*local, weightsLayout(op.getQ(), op.getK()),
                    nn::seedOf(op) ^ *op.getStream());
  local.setDropoutAttr(builder.getF64FloatAttr(0));
  local.getStepMutable().clear();
  local.removeStreamAttr();
}

template <class OpTy>
LogicalResult ClassBuilder::adaptAttention(OpTy op, OpTy local) {
  dropWeights(op, local);
  int64_t later = sizeOf(op.getK(), 2) - sizeOf(op.getQ(), 2);
  if (failed(setOffset(*local, spmd::kKeyOffset, op.getK(), 2)) ||
      failed(setHeads(*local, op.getQ(), op.getK())))
    return failure();
  for (const SlidDim &slid : slidDims(op, shares))
    if (slid.isExtended || op->hasAttr(nn::kHaloFrom))
      local->setAttr(spmd::kKeyOffset, slid.held.offset);
  // Without a causal mask or a window queries may be any, not only consecutive
  // ones.
  if (!op.getCausal() && !op.getBefore() && !op.getAfter())
    local->setAttr(spmd::kQueryOffset, local->getAttr(spmd::kKeyOffset));
  else if (failed(setOffset(*local, spmd::kQueryOffset, op.getQ(), 2, later)))
    return failure();
  return success();
}

/// Windows are of the whole dims: a rank is told where its queries and the keys
/// that it holds begin in them.
template <class OpTy>
LogicalResult ClassBuilder::adaptNeighborhood(OpTy op, OpTy local) {
  SmallVector<Attribute> queries, keys;
  SmallVector<int64_t> extents;
  SlidDims slid = slidDims(op, shares);
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!window)
      continue;
    if (failed(setOffset(*local, spmd::kQueryOffset, op.getQ(), dim)) ||
        failed(setOffset(*local, spmd::kKeyOffset, op.getK(), dim)))
      return failure();
    queries.push_back(local->removeAttr(spmd::kQueryOffset));
    Attribute begin = local->removeAttr(spmd::kKeyOffset);
    const SlidDim &held = slid[extents.size()];
    keys.push_back(held.isExtended ? Attribute(held.held.offset) : begin);
    extents.push_back(window->extent);
  }
  local->setAttr(spmd::kQueryOffsets, builder.getArrayAttr(queries));
  local->setAttr(spmd::kKeyOffsets, builder.getArrayAttr(keys));
  local->setAttr(spmd::kExtents, builder.getDenseI64ArrayAttr(extents));
  return setHeads(*local, op.getQ(), op.getK());
}

/// The first factor of q's heads that lies inside a group of heads that share
/// keys and values; all factors count as outside if one goes over the border.
static int64_t firstInside(ArrayRef<nn::FactorAttr> factors, int64_t group) {
  int64_t first = factors.size();
  for (int64_t inside = 1; inside < group && first > 0;)
    if ((inside *= factors[--first].getSize()) > group)
      return factors.size();
  return first;
}

/// Where the rank's heads begin, and how many of q's read one of k and v. What
/// is split inside a group leaves fewer of them for the same kv head.
LogicalResult ClassBuilder::setHeads(Operation &op, Value q, Value k) {
  nn::DimAttr heads = nn::layoutOf(q).getDims()[1];
  nn::DimAttr held = nn::layoutOf(local(q)).getDims()[1];
  int64_t group = heads.getSize() / sizeOf(k, 1), localGroup = group;
  int64_t border = firstInside(heads.getFactors(), group);
  for (size_t f = border; f < heads.getFactors().size(); ++f)
    localGroup = localGroup / heads.getFactors()[f].getSize() *
                 held.getFactors()[f].getSize();
  // Without heads of its own a rank reads none.
  localGroup = std::max<int64_t>(localGroup, 1);
  op.setAttr(spmd::kGroup, builder.getI64IntegerAttr(localGroup));
  auto isOutside = [&](nn::SplitAttr split) {
    return split.getDim() != 1 || split.getFactor() < border;
  };
  nn::LayoutAttr outside = nn::layoutOf(q);
  outside = outside.withPlacement(
      llvm::filter_to_vector(outside.getSplits(), isOutside), {});
  FailureOr<spmd::TableAttr> first = shares.offsetOf(outside, 1);
  // Cut by a minor factor, heads are no interval. They need not be where the
  // kv heads are cut alike: these are then those of the query heads, in order.
  if (failed(first) && held.getSize() == localGroup * sizeOf(local(k), 1)) {
    auto zero = spmd::TableAttr::constant(builder.getContext(), 0);
    op.setAttr(spmd::kHeadOffset, zero);
    op.setAttr(spmd::kKvHeadOffset, zero);
    return success();
  }
  if (failed(first))
    return refuseOffset(op, q, 1);
  spmd::TableAttr offset = *first;
  if (localGroup != group) // it falls on a border then
    offset = spmd::TableAttr::get(
        builder.getContext(), offset.getAxes(),
        llvm::map_to_vector(offset.getValues(), [&](int64_t head) {
          return head / group * localGroup;
        }));
  op.setAttr(spmd::kHeadOffset, offset);
  if (failed(setOffset(op, spmd::kKvHeadOffset, k, 1)))
    return failure();
  return checkHeads(op, q, k, localGroup);
}

/// The kv heads that the rank's query heads read must be on the rank.
LogicalResult ClassBuilder::checkHeads(Operation &op, Value q, Value k,
                                       int64_t group) {
  int64_t heads = sizeOf(local(q), 1), kvHeads = sizeOf(local(k), 1);
  auto head = op.getAttrOfType<spmd::TableAttr>(spmd::kHeadOffset);
  auto kvHead = op.getAttrOfType<spmd::TableAttr>(spmd::kKvHeadOffset);
  if (heads == 0 || !checkedHeads.insert({head, kvHead}).second)
    return success();
  for (int64_t rank : rankClass.ranks) {
    SmallVector<int64_t> at = spmd::coordinatesOf(shares.getMesh(), rank);
    int64_t first = head.at(shares.getMesh(), at);
    int64_t kvFirst = kvHead.at(shares.getMesh(), at);
    if (first / group < kvFirst ||
        (first + heads - 1) / group >= kvFirst + kvHeads)
      return op.emitError()
             << "query heads [" << first << ", " << first + heads
             << ") of rank " << rank << " need kv heads [" << first / group
             << ", " << (first + heads - 1) / group + 1 << "), it has ["
             << kvFirst << ", " << kvFirst + kvHeads
             << "); split the kv heads evenly or not at all";
  }
  return success();
}

template LogicalResult
    ClassBuilder::adaptNeighborhood(nn::NeighborhoodAttentionOp,
                                    nn::NeighborhoodAttentionOp);
template LogicalResult
    ClassBuilder::adaptNeighborhood(nn::NeighborhoodAttentionGradOp,
                                    nn::NeighborhoodAttentionGradOp);
template LogicalResult ClassBuilder::adaptAttention(nn::AttentionOp,
                                                    nn::AttentionOp);
template LogicalResult ClassBuilder::adaptAttention(nn::AttentionGradOp,
                                                    nn::AttentionGradOp);
