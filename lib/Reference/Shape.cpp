//===- Shape.cpp - rearrange, slice, concat and broadcast -----------------===//

#include "dialects/Nn/Shape.h"
#include "Operations.h"
#include "Strided.h"

using namespace mlir;

namespace hocket::reference {

/// The result is a view of x whose dims are the factors in their new order.
void evaluateRearrange(nn::RearrangeOp op, Call &call) {
  Indices factors;
  for (nn::DimAttr dim : op.getSource().getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      factors.push_back(factor.getSize());
  Indices factorStrides = denseStrides(factors), sizes, strides;
  for (auto dim : op.getOrder().getAsRange<ArrayAttr>())
    for (auto number : dim.getAsRange<IntegerAttr>()) {
      sizes.push_back(factors[number.getInt()]);
      strides.push_back(factorStrides[number.getInt()]);
    }
  copyView(call.operand(0).values.data(), sizes, strides,
           call.result.values.data());
}

void evaluateSlice(nn::SliceOp op, Call &call) {
  const Tensor &x = call.operand(0);
  Indices sizes(x.shape.begin(), x.shape.end()),
      strides = denseStrides(x.shape);
  sizes[op.getDim()] = op.getSize();
  copyView(x.values.data() + op.getStart() * strides[op.getDim()], sizes,
           strides, call.result.values.data());
}

void evaluateConcat(nn::ConcatOp op, Call &call) {
  ArrayRef<int64_t> shape = call.result.shape;
  int64_t outer = product(shape.take_front(op.getDim()));
  double *to = call.result.values.data();
  for (int64_t before = 0; before < outer; ++before)
    for (const Tensor *x : call.operands) {
      int64_t part =
          product(ArrayRef<int64_t>(x->shape).drop_front(op.getDim()));
      to = std::copy_n(x->values.data() + before * part, part, to);
    }
}

void evaluateBroadcast(nn::BroadcastOp op, Call &call) {
  const Tensor &x = call.operand(0);
  copyView(x.values.data(), call.result.shape,
           broadcastStrides(x.shape, call.result.shape),
           call.result.values.data());
}

} // namespace hocket::reference
