//===- Attention.cpp - attention and its gradients as library calls -------===//

#include "ClassPlanner.h"
#include "Flops.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

plan::Dropout ClassPlanner::dropoutOf(Operation &op, Value q, Value step,
                                      double p) {
  plan::Dropout dropout;
  if (!step || p == 0 ||
      cast<RankedTensorType>(q.getType()).getNumElements() == 0)
    return dropout;
  dropout.p = p;
  dropout.key = op.getAttrOfType<IntegerAttr>(spmd::kKey).getInt();
  dropout.step = get(step).view();
  dropout.first =
      tables.scalar(op.getAttrOfType<spmd::TableAttr>(spmd::kFirst));
  auto box = op.getAttrOfType<spmd::BoxAttr>(spmd::kCuts);
  Numbers all = rowMajorStrides(factorSizes(box.getLayout()));
  Numbers held = factorSizes(nn::layoutOf(q));
  size_t rows = firstFactor(box.getLayout(), 3);
  for (size_t factor = 0; factor < rows; ++factor)
    if (held[factor] != 1) {
      dropout.sizes.push_back(held[factor]);
      dropout.strides.push_back(all[factor]);
    }
  return dropout;
}

/// Everything but `out`, as those below.
template <class OpTy> plan::Attention ClassPlanner::attentionOf(OpTy op) {
  plan::Attention attention;
  attention.q = byDims(*op, op.getQ()).view();
  attention.k = byDims(*op, op.getK()).view();
  attention.v = byDims(*op, op.getV()).view();
  if (op.getKeep())
    attention.keep = byDims(*op, op.getKeep()).view();
  attention.scale = op.getScale().convertToDouble();
  attention.causal = op.getCausal();
  if (auto group = op->template getAttrOfType<IntegerAttr>(spmd::kGroup))
    attention.group = group.getInt();
  auto table = [&](StringRef name) {
    return tables.scalar(op->template getAttrOfType<spmd::TableAttr>(name));
  };
  attention.headOffset = table(spmd::kHeadOffset);
  attention.kvHeadOffset = table(spmd::kKvHeadOffset);
  attention.queryOffset = table(spmd::kQueryOffset);
  attention.keyOffset = table(spmd::kKeyOffset);
  attention.before = op.getBefore() ? int64_t(*op.getBefore()) : -1;
  attention.after = op.getAfter() ? int64_t(*op.getAfter()) : -1;
  attention.dropout = dropoutOf(*op, op.getQ(), op.getStep(),
                                op.getDropout().convertToDouble());
  return attention;
}

/// The extents of the weights, each multiplied and added.
static std::vector<int64_t> weightsOf(const plan::Attention &attention) {
  const auto &q = attention.q.shape;
  int64_t keys = attention.v.shape[2];
  int64_t after = attention.causal ? 0 : attention.after;
  if (attention.before >= 0 && after >= 0)
    keys = std::min(keys, attention.before + 1 + after);
  return {2, q[0], q[1], q[2], keys};
}

Strided ClassPlanner::allocateByDims(Value value, ArrayRef<size_t> dims) {
  auto layout = nn::layoutOf(value);
  Numbers sizes = factorSizes(layout);
  SmallVector<size_t> order;
  for (size_t dim : dims) {
    size_t first = firstFactor(layout, dim);
    for (size_t i = 0; i < layout.getDims()[dim].getFactors().size(); ++i)
      order.push_back(first + i);
  }
  values[value] = allocate(typeOf(value), sizes, stridesBy(order, sizes));
  return *reshaped(values[value], layout.getShape());
}

/// [batch, heads, positions..., dim] in memory as batch, positions, heads, dim:
/// what follows joins heads and dim.
Strided ClassPlanner::allocateBySeq(Value value) {
  size_t last = nn::layoutOf(value).getDims().size() - 1;
  SmallVector<size_t> order = {0};
  for (size_t dim = 2; dim < last; ++dim)
    order.push_back(dim);
  order.append({1, last});
  return allocateByDims(value, order);
}

plan::View ClassPlanner::placeGradient(Value value) {
  if (!placeInConcat(value))
    return allocateBySeq(value).view();
  return reshaped(get(value), nn::layoutOf(value).getShape())->view();
}

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

/// The same in windows that no end cuts.
static std::vector<int64_t>
weightsOf(const plan::NeighborhoodAttention &attention) {
  std::vector<int64_t> extents(attention.q.shape.begin(),
                               attention.q.shape.end() - 1);
  extents.push_back(2);
  for (const plan::NeighborhoodDim &dim : attention.dims)
    extents.push_back(dim.window.kernel);
  return extents;
}

/// Products of queries with keys, of `scores` kinds, and of weights with
/// values, of `sums` kinds.
template <class Forward>
static void addAttentionFlops(plan::RankClass &ranks, const Forward &attention,
                              int64_t scores, int64_t sums) {
  for (auto [times, extent] : {std::pair(scores, attention.q.shape.back()),
                               std::pair(sums, attention.v.shape.back())}) {
    std::vector<int64_t> extents = weightsOf(attention);
    extents.insert(extents.end(), {times, extent});
    addFlops(ranks, extents);
  }
}

template <class OpTy, class Forward>
LogicalResult ClassPlanner::planAttentionAs(OpTy op, Forward attention) {
  attention.out = allocateBySeq(op.getResult()).view();
  addAttentionFlops(*rankClass, attention, 1, 1);
  emit(*op, attention);
  return success();
}

template <class OpTy, class Forward>
LogicalResult ClassPlanner::planGradientAs(OpTy op, Forward forward) {
  plan::GradientOf<Forward> gradient{forward, {}, {}, {}};
  gradient.forward.out = byDims(*op, op.getDout()).view();
  gradient.dq = placeGradient(op.getDq());
  gradient.dk = placeGradient(op.getDk());
  gradient.dv = placeGradient(op.getDv());
  addAttentionFlops(*rankClass, forward, 3, 2);
  emit(*op, gradient);
  return success();
}

LogicalResult ClassPlanner::planAttention(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](nn::AttentionOp op) {
        return planAttentionAs(op, attentionOf(op));
      })
      .Case([&](nn::NeighborhoodAttentionOp op) {
        return planAttentionAs(op, neighborhoodOf(op));
      })
      .Case([&](nn::AttentionGradOp op) {
        return planGradientAs(op, attentionOf(op));
      })
      .Case([&](nn::NeighborhoodAttentionGradOp op) {
        return planGradientAs(op, neighborhoodOf(op));
      });
}
