//===- Poolings.cpp - poolings and their gradients ------------------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

static plan::PoolingKind kindOf(nn::PoolKind kind) {
  switch (kind) {
  case nn::PoolKind::Max:
    return plan::PoolingKind::Max;
  case nn::PoolKind::Average:
    return plan::PoolingKind::Average;
  case nn::PoolKind::MaxIndex:
    return plan::PoolingKind::MaxIndex;
  }
  llvm_unreachable("an enumerator");
}

template <class OpTy>
static Body poolingOf(OpTy op, Call &call, PlanTables &tables) {
  plan::Pooling pooling;
  pooling.kind = kindOf(op.getKind());
  pooling.countsBorder = op.getCountsBorder();
  pooling.taps = op.getTaps().vec();
  pooling.strides = op.getStrides().vec();
  pooling.dilations = op.getDilations().vec();
  pooling.lows = op.getLows().vec();
  pooling.highs = op.getHighs().vec();
  for (Attribute attribute : op.getPositions()) {
    auto positions = cast<spmd::PositionsAttr>(attribute);
    pooling.extents.push_back(positions.getExtent());
    pooling.xFirst.push_back(tables.scalar(positions.getBegin()));
  }
  for (Attribute windows : op.getWindows())
    pooling.yFirst.push_back(
        tables.scalar(cast<spmd::PositionsAttr>(windows).getBegin()));
  if (op.getX())
    pooling.x = call.byDims(op.getX());
  if constexpr (std::is_same_v<OpTy, spmd::PoolGradOp>) {
    pooling.isGradient = true;
    pooling.y = call.byDims(op.getDy());
    pooling.dx = call.resultByDims();
  } else {
    pooling.y = call.resultByDims();
  }
  return pooling;
}

Body planning::instructionOf(spmd::PoolOp op, Call &call, PlanTables &tables) {
  return poolingOf(op, call, tables);
}

Body planning::instructionOf(spmd::PoolGradOp op, Call &call,
                             PlanTables &tables) {
  return poolingOf(op, call, tables);
}
