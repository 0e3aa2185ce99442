//===- Sample.cpp - operands of convolutions ------------------------------===//

#include "test/Gpu/Libraries/Dnn/Sample.h"

namespace hocket::test {

std::vector<int64_t> Windows::y() const {
  std::vector<int64_t> shape = {x[0], weight[0]};
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    int64_t positions = x[dim + 2] + lows[dim] + highs[dim] -
                        dilations[dim] * (weight[dim + 2] - 1);
    shape.push_back(positions < 1 ? 0 : (positions - 1) / strides[dim] + 1);
  }
  return shape;
}

Windows windows(std::vector<int64_t> x, std::vector<int64_t> weight) {
  size_t dims = x.size() - 2;
  Windows windows;
  windows.x = std::move(x);
  windows.weight = std::move(weight);
  windows.groups = windows.x[1] / windows.weight[1];
  windows.strides.assign(dims, 1);
  windows.dilations.assign(dims, 1);
  windows.lows.assign(dims, 0);
  windows.highs.assign(dims, 0);
  return windows;
}

ConvolutionArguments Sample::arguments() const {
  ConvolutionArguments arguments;
  arguments.pass = pass;
  arguments.x = x.operand();
  arguments.weight = weight.operand();
  arguments.y = y.operand();
  if (bias)
    arguments.bias = bias->operand();
  arguments.strides = windows.strides;
  arguments.dilations = windows.dilations;
  arguments.lows = windows.lows;
  arguments.highs = windows.highs;
  arguments.groups = windows.groups;
  return arguments;
}

Tensor &Sample::result() {
  return pass == ConvolutionPass::Forward         ? y
         : pass == ConvolutionPass::InputGradient ? x
                                                  : weight;
}

Sample sample(ConvolutionPass pass, const Windows &windows, DType type) {
  return {windows,
          pass,
          Tensor(type, windows.x),
          Tensor(type, windows.weight),
          Tensor(type, windows.y()),
          std::nullopt};
}

std::vector<int64_t> stridesOf(const std::vector<int64_t> &shape,
                               const std::vector<size_t> &order) {
  std::vector<int64_t> strides(shape.size());
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0; next *= shape[order[i]])
    strides[order[i]] = next;
  return strides;
}

} // namespace hocket::test
