//===- Convolutions.cpp - convolutions and their gradients ----------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// What a convolution reads and writes: of a gradient the parts are the same,
/// and another one of them is the result.
static void setTensors(plan::Convolution &convolution, Operation &op,
                       Call &call) {
  using Pass = plan::ConvolutionPass;
  auto operand = [&](unsigned number) {
    return call.byDims(op.getOperand(number));
  };
  if (isa<nn::ConvGradWeightOp>(op)) {
    convolution.pass = Pass::WeightGradient;
    convolution.x = operand(0);
    convolution.y = operand(1);
    convolution.weight = call.resultByDims();
    return;
  }
  bool isForward = isa<nn::ConvOp>(op);
  convolution.pass = isForward ? Pass::Forward : Pass::InputGradient;
  (isForward ? convolution.x : convolution.y) = operand(0);
  convolution.weight = operand(1);
  if (isForward && op.getNumOperands() == 3)
    convolution.bias = operand(2);
  (isForward ? convolution.y : convolution.x) = call.resultByDims();
}

Body planning::convolutionOf(Operation &op, Call &call) {
  plan::Convolution convolution;
  setTensors(convolution, op, call);
  auto numbers = [&](StringRef name) {
    return op.getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef().vec();
  };
  convolution.strides = numbers("strides");
  convolution.dilations = numbers("dilations");
  convolution.lows = numbers("lows");
  convolution.highs = numbers("highs");
  if (auto groups = op.getAttrOfType<IntegerAttr>("groups"))
    convolution.groups = groups.getInt();
  return convolution;
}
