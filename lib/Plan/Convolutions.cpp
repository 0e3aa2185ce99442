//===- Convolutions.cpp - convolutions and their gradients ----------------===//
//
// The library computes with channels innermost in memory. A result is written
// so, and as results take the memory order of what they are made from, so is
// everything between two convolutions: no activation is transposed.
//
//===----------------------------------------------------------------------===//

#include "ClassPlanner.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// Batch, spatial dims, channels; row-major for a type that the library lacks,
/// as our own loops go along rows.
Strided ClassPlanner::allocateActivation(Value value) {
  if (placeInConcat(value)) // rows of a result that is computed in parts
    return *reshaped(get(value), nn::layoutOf(value).getShape());
  SmallVector<size_t> order = {0};
  size_t rank = nn::layoutOf(value).getDims().size();
  plan::DType type = typeOf(value);
  bool isInnermost = type == plan::DType::F32 || type == plan::DType::BF16;
  for (size_t dim = isInnermost ? 2 : 1; dim < rank; ++dim)
    order.push_back(dim);
  if (isInnermost)
    order.push_back(1);
  Strided window = allocateByDims(value, order);
  Numbers like = get(value).strides;
  return placeInHalo(value, like)
             ? *reshaped(get(value), nn::layoutOf(value).getShape())
             : window;
}

LogicalResult ClassPlanner::planConvolution(Operation &op,
                                            plan::ConvolutionPass pass) {
  using Pass = plan::ConvolutionPass;
  plan::Convolution convolution;
  convolution.pass = pass;
  auto operand = [&](unsigned number) {
    return byDims(op, op.getOperand(number)).view();
  };
  Value result = op.getResult(0);
  if (pass == Pass::WeightGradient) {
    convolution.x = operand(0);
    convolution.y = operand(1);
    values[result] = allocate(result.getType(), {});
    convolution.weight =
        reshaped(get(result), nn::layoutOf(result).getShape())->view();
  } else {
    bool isForward = pass == Pass::Forward;
    (isForward ? convolution.x : convolution.y) = operand(0);
    convolution.weight = operand(1);
    if (isForward && op.getNumOperands() == 3)
      convolution.bias = operand(2);
    (isForward ? convolution.y : convolution.x) =
        allocateActivation(result).view();
  }
  auto numbers = [&](StringRef name) {
    return op.getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef().vec();
  };
  convolution.strides = numbers("strides");
  convolution.dilations = numbers("dilations");
  convolution.lows = numbers("lows");
  convolution.highs = numbers("highs");
  if (auto groups = op.getAttrOfType<IntegerAttr>("groups"))
    convolution.groups = groups.getInt();
  int64_t multiplications = 1; // those of a window that lies inside
  for (int64_t extent : convolution.y.shape)
    multiplications *= extent;
  for (int64_t extent : ArrayRef(convolution.weight.shape).drop_front())
    multiplications *= extent;
  if (!atLoad(op))
    rankClass->budget.flops += 2 * multiplications;
  emit(op, convolution);
  return success();
}
