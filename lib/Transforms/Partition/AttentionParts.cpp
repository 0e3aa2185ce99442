//===- AttentionParts.cpp - heads and positions of a rank -----------------===//

#include "AttentionParts.h"
#include "WindowedDims.h"
#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

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
template <class OpTy>
void AttentionParts::addDraws(OpTy op, OpTy local, NamedAttrList &parts) {
  if (op.getStep() && op.getDropout().convertToDouble() > 0) {
    parts.set("draws", drawsOf(*local, weightsLayout(op.getQ(), op.getK()),
                               nn::seedOf(op) ^ *op.getStream()));
    return;
  }
  local.getStepMutable().clear();
  local->removeAttr("dropout");
}

/// Whether each head has blocks of its own.
template <class OpTy> static bool hasLayoutOfHeads(OpTy op) {
  std::optional<plan::BlockLayout> layout =
      nn::blockLayoutOf(op.getBlockLayoutAttr());
  return layout && layout->perHead;
}

/// Layouts of heads go by their numbers in the whole, which there are none of
/// where the rank's heads are not consecutive.
template <class OpTy>
static LogicalResult checkLayoutHeads(OpTy op, const NamedAttrList &parts) {
  auto heads = cast<spmd::PositionsAttr>(parts.get("heads"));
  if (!hasLayoutOfHeads(op) ||
      heads.getExtent() == nn::layoutOf(op.getQ()).getDims()[1].getSize())
    return success();
  InFlightDiagnostic diagnostic = op.emitError(
      "a block layout for each head needs consecutive heads on a rank, but a "
      "minor factor of the heads is split here");
  diagnostic.attachNote() << "split the heads by their major factor, or state "
                             "one layout for all: per_head = false";
  return diagnostic;
}

template <class OpTy>
FailureOr<NamedAttrList> AttentionParts::attentionParts(OpTy op, OpTy local) {
  FailureOr<NamedAttrList> parts = headParts(*local, op.getQ(), op.getK(),
                                             /*byNumber=*/hasLayoutOfHeads(op));
  FailureOr<spmd::PositionsAttr> keys = positionsOf(*local, op.getK(), 2);
  if (failed(parts) || failed(keys) || failed(checkLayoutHeads(op, *parts)))
    return failure();
  for (const WindowedDim &slid : windowedDims(op, shares))
    if (slid.isExtended)
      keys = positionsFrom(slid.held.offset, keys->getExtent());
  parts->set("keys", *keys);
  parts->set("causal", builder.getBoolAttr(op.getCausal()));
  parts->set("block_layout", op.getBlockLayoutAttr()
                                 ? op.getBlockLayoutAttr()
                                 : builder.getDictionaryAttr({}));
  // Without a causal mask or a window queries may be any, not only consecutive
  // ones.
  if (op.getCausal() || op.getBefore() || op.getAfter() ||
      op.getBlockLayout()) {
    FailureOr<spmd::PositionsAttr> queries = positionsOf(*local, op.getQ(), 2);
    if (failed(queries))
      return failure();
    parts->set("queries", *queries);
  }
  addDraws(op, local, *parts);
  return parts;
}

/// Windows are of the whole dims: a rank is told where its queries and the keys
/// that it holds begin in them.
template <class OpTy>
FailureOr<NamedAttrList> AttentionParts::neighborhoodParts(OpTy op,
                                                           OpTy local) {
  SmallVector<Attribute> queries, keys;
  WindowedDims slid = windowedDims(op, shares);
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!window)
      continue;
    FailureOr<spmd::PositionsAttr> ofQ = positionsOf(*local, op.getQ(), dim);
    FailureOr<spmd::PositionsAttr> ofK = positionsOf(*local, op.getK(), dim);
    if (failed(ofQ) || failed(ofK))
      return failure();
    const WindowedDim &held = slid[queries.size()];
    queries.push_back(*ofQ);
    keys.push_back(held.isExtended
                       ? positionsFrom(held.held.offset, ofK->getExtent())
                       : *ofK);
  }
  FailureOr<NamedAttrList> parts =
      headParts(*local, op.getQ(), op.getK(), /*byNumber=*/false);
  if (failed(parts))
    return failure();
  parts->set("queries", builder.getArrayAttr(queries));
  parts->set("keys", builder.getArrayAttr(keys));
  return parts;
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

/// Which heads the rank has, and how many of q's read one of k and v. What is
/// split inside a group leaves fewer of them for the same kv head, which are
/// then numbered among themselves; or, `byNumber` and in an interval, as in the
/// whole.
FailureOr<NamedAttrList> AttentionParts::headParts(Operation &op, Value q,
                                                   Value k, bool byNumber) {
  nn::DimAttr heads = nn::layoutOf(q).getDims()[1];
  nn::DimAttr held = nn::layoutOf(local(q)).getDims()[1];
  int64_t group = heads.getSize() / sizeOf(k, 1), localGroup = group;
  int64_t border = firstInside(heads.getFactors(), group);
  if (byNumber && succeeded(shares.offsetOf(nn::layoutOf(q), 1)))
    border = heads.getFactors().size();
  for (size_t f = border; f < heads.getFactors().size(); ++f)
    localGroup = localGroup / heads.getFactors()[f].getSize() *
                 held.getFactors()[f].getSize();
  // Without heads of its own a rank reads none.
  localGroup = std::max<int64_t>(localGroup, 1);
  auto parts = [&](spmd::PositionsAttr heads, spmd::PositionsAttr kvHeads) {
    NamedAttrList list;
    list.set("group", builder.getI64IntegerAttr(localGroup));
    list.set("heads", heads);
    list.set("kvHeads", kvHeads);
    return list;
  };
  auto isOutside = [&](nn::SplitAttr split) {
    return split.getDim() != 1 || split.getFactor() < border;
  };
  nn::LayoutAttr outside = nn::layoutOf(q);
  outside = outside.withPlacement(
      llvm::filter_to_vector(outside.getSplits(), isOutside), {});
  FailureOr<spmd::TableAttr> first = shares.offsetOf(outside, 1);
  // Cut by a minor factor, heads are no interval. They need not be where the
  // kv heads are cut alike: these are then those of the query heads, in order.
  int64_t kvHeads = sizeOf(local(k), 1);
  if (failed(first) && held.getSize() == localGroup * kvHeads) {
    auto zero = spmd::TableAttr::constant(builder.getContext(), 0);
    return parts(positionsFrom(zero, held.getSize()),
                 positionsFrom(zero, kvHeads));
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
  FailureOr<spmd::PositionsAttr> kv = positionsOf(op, k, 1);
  if (failed(kv) ||
      failed(checkHeads(op, q, k, localGroup, offset, kv->getBegin())))
    return failure();
  return parts(positionsFrom(offset, localGroup * kv->getExtent()), *kv);
}

/// The kv heads that the rank's query heads read must be on the rank.
LogicalResult AttentionParts::checkHeads(Operation &op, Value q, Value k,
                                         int64_t group, spmd::TableAttr head,
                                         spmd::TableAttr kvHead) {
  int64_t heads = sizeOf(local(q), 1), kvHeads = sizeOf(local(k), 1);
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

template FailureOr<NamedAttrList>
    AttentionParts::neighborhoodParts(nn::NeighborhoodAttentionOp,
                                      nn::NeighborhoodAttentionOp);
template FailureOr<NamedAttrList>
    AttentionParts::neighborhoodParts(nn::NeighborhoodAttentionGradOp,
                                      nn::NeighborhoodAttentionGradOp);
template FailureOr<NamedAttrList>
    AttentionParts::attentionParts(nn::AttentionOp, nn::AttentionOp);
template FailureOr<NamedAttrList>
    AttentionParts::attentionParts(nn::AttentionGradOp, nn::AttentionGradOp);
