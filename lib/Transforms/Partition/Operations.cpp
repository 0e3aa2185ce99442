//===- Operations.cpp - operations that depend on where the rank is -------===//
//
// Most operations are the same on local tensors. Here are those that have to
// know which part of the global tensor they see, or how large it was.
//
//===----------------------------------------------------------------------===//

#include "ClassBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

static int64_t sizeOf(Value tensor, int64_t dim) {
  return nn::layoutOf(tensor).getDims()[dim].getSize();
}

LogicalResult ClassBuilder::lowerParameter(nn::ParameterOp op) {
  Load load = folding.loadOf(op);
  auto result = cast<nn::ParameterOp>(builder.clone(*op));
  result.getResult().setType(local(load.type));
  result->setAttr(spmd::kCuts, shares.boxOf(nn::layoutOf(load.type)));
  if (!load.onlyFirstOf.empty())
    result->setAttr(spmd::kOnlyFirstOf, listOf(load.onlyFirstOf));
  mapping.map(op.getResult(), result.getResult());
  return success();
}

/// Without a step, or where nothing is dropped, it is its operand.
LogicalResult ClassBuilder::lowerDropout(nn::DropoutOp op) {
  if (op.getStep() && op.getP().convertToDouble() > 0)
    return lowerAsIs(*op);
  mapping.map(op.getResult(), local(op.getX()));
  return success();
}

void ClassBuilder::setDraws(Operation &local, nn::LayoutAttr layout,
                            int64_t key) {
  spmd::BoxAttr box = shares.boxOf(layout);
  local.setAttr(spmd::kCuts, box);
  local.setAttr(spmd::kFirst, shares.firstElement(box));
  local.setAttr(spmd::kKey, builder.getI64IntegerAttr(key));
}

LogicalResult ClassBuilder::setOffset(Operation &local, StringRef name,
                                      Value tensor, int64_t dim, int64_t plus) {
  FailureOr<spmd::TableAttr> offset =
      shares.offsetOf(nn::layoutOf(tensor), dim);
  if (failed(offset))
    return refuseOffset(local, tensor, dim);
  local.setAttr(name, scaled(*offset, 1, plus));
  return success();
}

LogicalResult ClassBuilder::refuseOffset(Operation &local, Value tensor,
                                         int64_t dim) {
  return local.emitError() << "needs one interval of dim " << dim
                           << " on each rank, found "
                           << nn::describe(tensor.getType()) << " placed "
                           << nn::describePlacement(nn::layoutOf(tensor))
                           << "; split the major factor of the dim";
}

LogicalResult ClassBuilder::adapt(Operation &source, Operation &local) {
  return TypeSwitch<Operation *, LogicalResult>(&source)
      .Case([&](nn::EmbeddingOp op) { return adaptEmbedding(op, local); })
      .Case([&](nn::AttentionOp op) {
        return adaptAttention(op, cast<nn::AttentionOp>(local));
      })
      .Case([&](nn::DropoutOp op) {
        setDraws(local, nn::layoutOf(op.getResult()),
                 nn::seedOf(op) ^ *op.getStream());
        return success();
      })
      .Case([&](nn::SliceOp op) {
        return adaptSlice(op, cast<nn::SliceOp>(local));
      })
      .Case([&](nn::RearrangeOp op) {
        return adaptRearrange(op, cast<nn::RearrangeOp>(local));
      })
      .Case([&](nn::IotaOp op) {
        return setOffset(local, spmd::kFirst, op.getResult(), op.getDim());
      })
      .Case([&](nn::RotaryOp op) {
        return setOffset(local, spmd::kFirst, op.getX(), op.getDim());
      })
      .Default(success());
}

LogicalResult ClassBuilder::adaptEmbedding(nn::EmbeddingOp op,
                                           Operation &local) {
  local.setAttr(spmd::kVocab,
                builder.getI64IntegerAttr(sizeOf(op.getTable(), 0)));
  return setOffset(local, spmd::kVocabOffset, op.getTable(), 0);
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
void ClassBuilder::dropWeights(nn::AttentionOp op, nn::AttentionOp local) {
  if (op.getStep() && op.getDropout().convertToDouble() > 0)
    return setDraws(*local, weightsLayout(op.getQ(), op.getK()),
                    nn::seedOf(op) ^ *op.getStream());
  local.setDropoutAttr(builder.getF64FloatAttr(0));
  local.getStepMutable().clear();
  local.removeStreamAttr();
}

LogicalResult ClassBuilder::adaptAttention(nn::AttentionOp op,
                                           nn::AttentionOp local) {
  dropWeights(op, local);
  int64_t later = sizeOf(op.getK(), 2) - sizeOf(op.getQ(), 2);
  if (failed(setOffset(*local, spmd::kKeyOffset, op.getK(), 2)) ||
      failed(setHeads(op, local)))
    return failure();
  // Without a causal mask queries may be any, not only consecutive ones.
  if (!op.getCausal())
    local->setAttr(spmd::kQueryOffset, local->getAttr(spmd::kKeyOffset));
  else if (failed(setOffset(*local, spmd::kQueryOffset, op.getQ(), 2, later)))
    return failure();
  return success();
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
LogicalResult ClassBuilder::setHeads(nn::AttentionOp op,
                                     nn::AttentionOp local) {
  nn::DimAttr heads = nn::layoutOf(op.getQ()).getDims()[1];
  nn::DimAttr held = nn::layoutOf(local.getQ()).getDims()[1];
  int64_t group = heads.getSize() / sizeOf(op.getK(), 1), localGroup = group;
  int64_t border = firstInside(heads.getFactors(), group);
  for (size_t f = border; f < heads.getFactors().size(); ++f)
    localGroup = localGroup / heads.getFactors()[f].getSize() *
                 held.getFactors()[f].getSize();
  local->setAttr(spmd::kGroup, builder.getI64IntegerAttr(localGroup));
  auto isOutside = [&](nn::SplitAttr split) {
    return split.getDim() != 1 || split.getFactor() < border;
  };
  nn::LayoutAttr outside = nn::layoutOf(op.getQ());
  outside = outside.withPlacement(
      llvm::filter_to_vector(outside.getSplits(), isOutside), {});
  FailureOr<spmd::TableAttr> first = shares.offsetOf(outside, 1);
  // Cut by a minor factor, heads are no interval. They need not be where the
  // kv heads are cut alike: these are then those of the query heads, in order.
  if (failed(first) && held.getSize() == localGroup * sizeOf(local.getK(), 1)) {
    auto zero = spmd::TableAttr::constant(op.getContext(), 0);
    local->setAttr(spmd::kHeadOffset, zero);
    local->setAttr(spmd::kKvHeadOffset, zero);
    return success();
  }
  if (failed(first))
    return refuseOffset(*local, op.getQ(), 1);
  spmd::TableAttr offset = *first;
  if (localGroup != group) // it falls on a border then
    offset = spmd::TableAttr::get(
        op.getContext(), offset.getAxes(),
        llvm::map_to_vector(offset.getValues(), [&](int64_t head) {
          return head / group * localGroup;
        }));
  local->setAttr(spmd::kHeadOffset, offset);
  if (failed(setOffset(*local, spmd::kKvHeadOffset, op.getK(), 1)))
    return failure();
  return checkHeads(op, offset,
                    local->getAttrOfType<spmd::TableAttr>(spmd::kKvHeadOffset),
                    localGroup);
}

/// The kv heads that the rank's query heads read must be on the rank.
LogicalResult ClassBuilder::checkHeads(nn::AttentionOp op, spmd::TableAttr head,
                                       spmd::TableAttr kvHead, int64_t group) {
  int64_t heads = nn::layoutOf(local(op.getQ())).getDims()[1].getSize();
  int64_t kvHeads = nn::layoutOf(local(op.getK())).getDims()[1].getSize();
  if (!checkedHeads.insert({head, kvHead}).second)
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

/// A slice counts elements of the dim; where a minor factor is split there are
/// fewer of them for each step of the major one.
LogicalResult ClassBuilder::adaptSlice(nn::SliceOp op, nn::SliceOp local) {
  int64_t dim = op.getDim();
  nn::LayoutAttr layout = nn::layoutOf(op.getX());
  if (dim < 0)
    dim += layout.getDims().size();
  if (shares.axesOf(layout, dim).empty())
    return success();
  if (int64_t(op.getSize()) == layout.getDims()[dim].getSize()) {
    local.setSize(nn::layoutOf(local.getX()).getDims()[dim].getSize());
    return success();
  }
  ArrayRef<nn::FactorAttr> factors = layout.getDims()[dim].getFactors();
  int64_t rest = layout.getDims()[dim].getSize() / factors[0].getSize();
  int64_t localRest = nn::layoutOf(local.getX()).getDims()[dim].getSize() /
                      factors[0].getSize();
  int64_t start = op.getStart(), size = op.getSize();
  if (!shares.axesOf(layout, dim, 0).empty() || start % rest || size % rest)
    return op.emitError() << "cannot take [" << start << ", " << start + size
                          << ") of dim " << dim << " of "
                          << nn::describe(op.getX().getType()) << " placed "
                          << nn::describePlacement(layout)
                          << "; all_gather it first";
  local.setStart(start / rest * localRest);
  local.setSize(size / rest * localRest);
  return success();
}

/// The factors of a rearranged tensor are those of its result, each with the
/// size that the rank has of it.
LogicalResult ClassBuilder::adaptRearrange(nn::RearrangeOp op,
                                           nn::RearrangeOp local) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> sizes;
  for (nn::DimAttr dim : op.getSource().getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      sizes.push_back(factor.getSize());
  nn::LayoutAttr result = nn::layoutOf(local.getResult());
  for (auto [dim, order] : llvm::zip_equal(result.getDims(), op.getOrder())) {
    ArrayRef<nn::FactorAttr> factors = dim.getFactors();
    // The result's dim may leave out factors of size 1.
    bool allListed = factors.size() == cast<ArrayAttr>(order).size();
    for (Attribute number : cast<ArrayAttr>(order)) {
      int64_t &size = sizes[cast<IntegerAttr>(number).getInt()];
      if (size == 1 && !allListed)
        continue;
      if (factors.empty())
        return op.emitError() << "the result has not the factors of `order`";
      size = factors.front().getSize();
      factors = factors.drop_front();
    }
  }
  SmallVector<nn::DimAttr> dims;
  size_t next = 0;
  for (nn::DimAttr dim : op.getSource().getDims()) {
    SmallVector<nn::FactorAttr> factors;
    for (nn::FactorAttr factor : dim.getFactors())
      factors.push_back(
          nn::FactorAttr::get(context, factor.getName(), sizes[next++]));
    dims.push_back(nn::DimAttr::get(context, factors));
  }
  auto source = nn::LayoutAttr::get(context, dims, {}, {});
  if (source.getShape() != nn::layoutOf(local.getX()).getShape())
    return op.emitError() << "a rank's part of "
                          << nn::describe(op.getX().getType()) << " placed "
                          << nn::describePlacement(nn::layoutOf(op.getX()))
                          << " is not its part of the result, placed "
                          << nn::describePlacement(
                                 nn::layoutOf(op.getResult()));
  local.setSourceAttr(source);
  return success();
}
