//===- Views.cpp - operations that move nothing ---------------------------===//

#include "Views.h"
#include "dialects/Nn/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;
using namespace hocket::views;

static Strided viewOf(nn::RearrangeOp op, Placer &placer) {
  Strided source =
      placer.reshapedOrCopied(op.getLoc(), placer.get(op.getX()), op.getX(),
                              factorSizes(op.getSource()));
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
  return placer.reshapedOrCopied(op.getLoc(), result, op.getResult(),
                                 factorSizes(nn::layoutOf(op.getResult())));
}

static Strided viewOf(nn::SliceOp op, Placer &placer) {
  auto layout = nn::layoutOf(op.getX());
  auto factors = layout.getDims()[op.getDim()].getFactors();
  size_t first = firstFactor(layout, op.getDim());
  // One size and stride for the dim; its factors come back by reshaping.
  Numbers sizes = factorSizes(layout);
  sizes.erase(sizes.begin() + first, sizes.begin() + first + factors.size());
  sizes.insert(sizes.begin() + first, layout.getDims()[op.getDim()].getSize());
  int64_t rest = 1; // elements of a major step
  for (nn::FactorAttr factor : factors.drop_front(factors.empty() ? 0 : 1))
    rest *= factor.getSize();
  bool onMajor =
      !factors.empty() && op.getStart() % rest == 0 && op.getSize() % rest == 0;
  Strided x = placer.get(op.getX());
  auto whole = reshaped(x, sizes);
  if (!whole && onMajor) {
    whole = x;
  } else {
    rest = 1;
    if (!whole)
      whole = reshaped(placer.copied(op.getLoc(), x, op.getX()), sizes);
  }
  int64_t start = op.getResult().getType().getNumElements() ? op.getStart() : 0;
  whole->offset += start / rest * whole->strides[first];
  whole->sizes[first] = op.getSize() / rest;
  return placer.reshapedOrCopied(op.getLoc(), *whole, op.getResult(),
                                 factorSizes(nn::layoutOf(op.getResult())));
}

static Strided viewOf(nn::BroadcastOp op, Placer &placer) {
  auto from = nn::layoutOf(op.getX()), to = nn::layoutOf(op.getResult());
  Strided x = placer.get(op.getX());
  if (auto view = broadcastTo(x, from, to))
    return *view;
  return *broadcastTo(placer.copied(op.getLoc(), x, op.getX()), from, to);
}

Strided bufferization::viewOf(Operation &op, Placer &placer) {
  return TypeSwitch<Operation *, Strided>(&op)
      .Case<nn::RearrangeOp, nn::SliceOp, nn::BroadcastOp>(
          [&](auto op) { return ::viewOf(op, placer); })
      .Case([&](spmd::SliceOp op) {
        return partAt(placer.get(op.getX()), op.getResult(), op);
      })
      .Default([&](Operation *op) { return placer.get(op->getOperand(0)); });
}
