//===- Poolings.cpp - poolings and their gradients ------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Windows.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

template <class OpTy> LogicalResult ClassPlanner::planPooling(OpTy op) {
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
    pooling.x = byDims(*op, op.getX()).view();
  if constexpr (std::is_same_v<OpTy, nn::PoolGradOp>) {
    pooling.isGradient = true;
    pooling.y = byDims(*op, op.getDy()).view();
    pooling.dx = allocateActivation(op.getResult()).view();
  } else {
    pooling.y = allocateActivation(op.getResult()).view();
  }
  emit(*op, pooling);
  return success();
}

template LogicalResult ClassPlanner::planPooling(nn::PoolOp op);
template LogicalResult ClassPlanner::planPooling(nn::PoolGradOp op);
