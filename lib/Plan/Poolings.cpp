//===- Poolings.cpp - poolings and their gradients ------------------------===//

#include "Instructions.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

template <class OpTy>
static Body poolingOf(OpTy op, Call &call, PlanTables &tables) {
  plan::Pooling pooling;
  pooling.kind = llvm::StringSwitch<plan::PoolingKind>(op.getKind())
                     .Case("max", plan::PoolingKind::Max)
                     .Case("max_index", plan::PoolingKind::MaxIndex)
                     .Default(plan::PoolingKind::Average);
  pooling.countsBorder = op.getCountsBorder();
  pooling.taps = op.getTaps().vec();
  pooling.strides = op.getStrides().vec();
  pooling.dilations = op.getDilations().vec();
  auto numbers = [&](StringRef name) {
    return op->template getAttrOfType<DenseI64ArrayAttr>(name)
        .asArrayRef()
        .vec();
  };
  pooling.lows = numbers(spmd::kLows);
  pooling.highs = numbers(spmd::kHighs);
  pooling.extents = numbers(spmd::kExtents);
  auto firsts = [&](StringRef name) {
    std::vector<plan::Scalar> list;
    auto attributes = op->template getAttrOfType<ArrayAttr>(name);
    for (auto table : attributes.template getAsRange<spmd::TableAttr>())
      list.push_back(tables.scalar(table));
    return list;
  };
  pooling.xFirst = firsts(spmd::kPositions);
  pooling.yFirst = firsts(spmd::kResults);
  if (op.getX())
    pooling.x = call.byDims(op.getX());
  if constexpr (std::is_same_v<OpTy, nn::PoolGradOp>) {
    pooling.isGradient = true;
    pooling.y = call.byDims(op.getDy());
    pooling.dx = call.resultByDims();
  } else {
    pooling.y = call.resultByDims();
  }
  return pooling;
}

Body planning::instructionOf(nn::PoolOp op, Call &call, PlanTables &tables) {
  return poolingOf(op, call, tables);
}

Body planning::instructionOf(nn::PoolGradOp op, Call &call,
                             PlanTables &tables) {
  return poolingOf(op, call, tables);
}
