//===- Attention.cpp - attention and its gradients as library calls -------===//

#include "Instructions.h"
#include "dialects/Nn/BlockLayouts.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

/// The dropped weights of an attention or its gradient.
template <class OpTy>
static plan::Dropout dropoutOf(OpTy op, Call &call, PlanTables &tables) {
  Value q = op.getQ(), step = op.getStep();
  plan::Dropout dropout;
  if (!step || cast<RankedTensorType>(q.getType()).getNumElements() == 0)
    return dropout;
  spmd::DrawsAttr draws = *op.getDraws();
  dropout.p = op.getDropout()->convertToDouble();
  dropout.key = draws.getKey();
  dropout.step = call.view(step);
  dropout.first = tables.scalar(draws.getFirst());
  nn::LayoutAttr weights = draws.getBox().getLayout();
  Numbers all = rowMajorStrides(factorSizes(weights));
  Numbers held = factorSizes(nn::layoutOf(q));
  size_t rows = firstFactor(weights, 3);
  for (size_t factor = 0; factor < rows; ++factor)
    if (held[factor] != 1) {
      dropout.sizes.push_back(held[factor]);
      dropout.strides.push_back(all[factor]);
    }
  return dropout;
}

template <class OpTy, class Forward>
static void setHeads(OpTy op, Forward &attention, PlanTables &tables) {
  attention.scale = op.getScale().convertToDouble();
  attention.group = op.getGroup();
  attention.headOffset = tables.scalar(op.getHeads().getBegin());
  attention.kvHeadOffset = tables.scalar(op.getKvHeads().getBegin());
}

/// Everything but `out` and `lse`, as those below.
template <class OpTy>
static plan::Attention attentionOf(OpTy op, Call &call, PlanTables &tables) {
  plan::Attention attention;
  attention.q = call.byDims(op.getQ());
  attention.k = call.byDims(op.getK());
  attention.v = call.byDims(op.getV());
  if (op.getKeep())
    attention.keep = call.byDims(op.getKeep());
  if (op.getKeyDocuments()) {
    attention.queryDocuments = call.byDims(op.getQueryDocuments());
    attention.keyDocuments = call.byDims(op.getKeyDocuments());
  }
  if (op.getBias())
    attention.bias = call.byDims(op.getBias());
  attention.causal = op.getCausal();
  setHeads(op, attention, tables);
  // Query i stands behind as many more keys as there are more of them.
  spmd::TableAttr keys = op.getKeys().getBegin(), queries = keys;
  if (std::optional<spmd::PositionsAttr> own = op.getQueries())
    queries = own->getBegin().plus(op.getKeys().getExtent() - own->getExtent());
  attention.queryOffset = tables.scalar(queries);
  attention.keyOffset = tables.scalar(keys);
  attention.before = op.getBefore() ? int64_t(*op.getBefore()) : -1;
  attention.after = op.getAfter() ? int64_t(*op.getAfter()) : -1;
  attention.layout = nn::blockLayoutOf(op.getBlockLayoutAttr());
  if (attention.layout)
    attention.layoutBlocks = op.getKeys().getExtent() / attention.layout->block;
  attention.dropout = dropoutOf(op, call, tables);
  attention.isTerm = op.getIsTerm();
  return attention;
}

template <class OpTy>
static plan::NeighborhoodAttention neighborhoodOf(OpTy op, Call &call,
                                                  PlanTables &tables) {
  plan::NeighborhoodAttention attention;
  attention.q = call.byDims(op.getQ());
  attention.k = call.byDims(op.getK());
  attention.v = call.byDims(op.getV());
  setHeads(op, attention, tables);
  for (size_t i = 0; i < op.getKernels().size(); ++i) {
    auto queries = cast<spmd::PositionsAttr>(op.getQueries()[i]);
    auto keys = cast<spmd::PositionsAttr>(op.getKeys()[i]);
    plan::NeighborhoodDim dim;
    dim.window = {queries.getExtent(), op.getKernels()[i], op.getStrides()[i],
                  op.getDilations()[i], op.getCausal()[i]};
    dim.queryOffset = tables.scalar(queries.getBegin());
    dim.keyOffset = tables.scalar(keys.getBegin());
    attention.dims.push_back(dim);
  }
  return attention;
}

template <class OpTy, class Forward>
static Body forwardOf(OpTy op, Forward attention, Call &call) {
  attention.out = call.resultByDims();
  if (op.getLse())
    attention.lse = call.resultByDims(1);
  return attention;
}

template <class OpTy, class Forward>
static plan::GradientOf<Forward> gradientOf(OpTy op, Forward forward,
                                            Call &call) {
  plan::GradientOf<Forward> gradient{forward, {}, {}, {}, {}, {}};
  gradient.forward.out = call.byDims(op.getOut());
  gradient.forward.lse = call.byDims(op.getLse());
  gradient.dout = call.byDims(op.getDout());
  gradient.dq = call.resultByDims(0);
  gradient.dk = call.resultByDims(1);
  gradient.dv = call.resultByDims(2);
  return gradient;
}

Body planning::instructionOf(spmd::AttentionOp op, Call &call,
                             PlanTables &tables) {
  return forwardOf(op, attentionOf(op, call, tables), call);
}

Body planning::instructionOf(spmd::NeighborhoodAttentionOp op, Call &call,
                             PlanTables &tables) {
  return forwardOf(op, neighborhoodOf(op, call, tables), call);
}

Body planning::instructionOf(spmd::AttentionGradOp op, Call &call,
                             PlanTables &tables) {
  plan::AttentionGrad gradient =
      gradientOf(op, attentionOf(op, call, tables), call);
  if (op.getDbias())
    gradient.dbias = call.resultByDims(3);
  return gradient;
}

Body planning::instructionOf(spmd::NeighborhoodAttentionGradOp op, Call &call,
                             PlanTables &tables) {
  return gradientOf(op, neighborhoodOf(op, call, tables), call);
}
