//===- Views.cpp - operations that are windows on memory ------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

LogicalResult ClassPlanner::planView(Operation &op) {
  if (auto rearrange = dyn_cast<nn::RearrangeOp>(op))
    return planRearrange(rearrange);
  if (auto slice = dyn_cast<nn::SliceOp>(op))
    return planSlice(slice);
  if (auto slice = dyn_cast<spmd::SliceOp>(op))
    return planSpmdSlice(slice);
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op))
    return planBroadcast(broadcast);
  Strided window = get(op.getOperand(0));
  values[op.getResult(0)] = window;
  return success();
}

LogicalResult ClassPlanner::planRearrange(nn::RearrangeOp op) {
  Numbers sizes = factorSizes(op.getSource());
  Strided source =
      reshapedOrCopied(*op, get(op.getX()), sizes, typeOf(op.getX()));
  Strided result = source;
  result.sizes.clear();
  result.strides.clear();
  for (Attribute dim : op.getOrder()) {
    auto factors = cast<ArrayAttr>(dim);
    for (Attribute factor : factors) {
      int64_t position = cast<IntegerAttr>(factor).getInt();
      result.sizes.push_back(source.sizes[position]);
      result.strides.push_back(source.strides[position]);
    }
    if (factors.empty()) {
      result.sizes.push_back(1);
      result.strides.push_back(1);
    }
  }
  values[op.getResult()] =
      reshapedOrCopied(*op, result, factorSizes(nn::layoutOf(op.getResult())),
                       typeOf(op.getX()));
  return success();
}

LogicalResult ClassPlanner::planSlice(nn::SliceOp op) {
  auto layout = nn::layoutOf(op.getX());
  auto resultLayout = nn::layoutOf(op.getResult());
  size_t dim = op.getDim(), first = firstFactor(layout, dim);
  size_t count = layout.getDims()[dim].getFactors().size();
  // One size and stride for the dim; its factors come back by reshaping.
  Numbers sizes = factorSizes(layout);
  sizes.erase(sizes.begin() + first, sizes.begin() + first + count);
  sizes.insert(sizes.begin() + first, layout.getDims()[dim].getSize());
  auto whole = reshaped(get(op.getX()), sizes);
  Numbers wanted = factorSizes(resultLayout);
  int64_t rest = 1; // elements of a major step
  auto factors = layout.getDims()[dim].getFactors();
  for (nn::FactorAttr factor : factors.drop_front(factors.empty() ? 0 : 1))
    rest *= factor.getSize();
  bool onMajor =
      count > 0 && op.getStart() % rest == 0 && op.getSize() % rest == 0;
  Strided window = get(op.getX());
  int64_t start = op.getResult().getType().getNumElements() ? op.getStart() : 0;
  if (whole) {
    window = *whole;
    window.offset += start * window.strides[first];
    window.sizes[first] = op.getSize();
  } else if (onMajor) {
    window.offset += start / rest * window.strides[first];
    window.sizes[first] = op.getSize() / rest;
  } else {
    window = *reshaped(copied(*op, window, typeOf(op.getX())), sizes);
    window.offset += start * window.strides[first];
    window.sizes[first] = op.getSize();
  }
  values[op.getResult()] =
      reshapedOrCopied(*op, window, wanted, typeOf(op.getX()));
  return success();
}

template <class OpTy>
Strided ClassPlanner::partAt(Strided window, Value part, OpTy op) {
  auto layout = nn::layoutOf(part);
  size_t position = firstFactor(layout, op.getDim()) + op.getFactor();
  window.sizes = factorSizes(layout);
  int64_t stride = window.strides[position];
  plan::Scalar term = tables.scalar(op.getOffset(), stride);
  if (window.elements() == 0) // there may be no such place
    term = {};
  if (term.table < 0)
    window.offset += term.constant;
  else
    window.terms.push_back(term);
  return window;
}

template Strided ClassPlanner::partAt(Strided, Value, spmd::PlaceOp);

LogicalResult ClassPlanner::planSpmdSlice(spmd::SliceOp op) {
  values[op.getResult()] = partAt(get(op.getX()), op.getResult(), op);
  return success();
}

LogicalResult ClassPlanner::planBroadcast(nn::BroadcastOp op) {
  auto from = nn::layoutOf(op.getX()), to = nn::layoutOf(op.getResult());
  auto window = broadcastTo(get(op.getX()), from, to);
  if (!window)
    window =
        broadcastTo(copied(*op, get(op.getX()), typeOf(op.getX())), from, to);
  values[op.getResult()] = *window;
  return success();
}
