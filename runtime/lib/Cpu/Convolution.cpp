//===- Convolution.cpp - who computes a convolution -----------------------===//

#include "hocket/Cpu/Convolution.h"
#include "runtime/lib/Cpu/ConvolutionProblem.h"
#include <algorithm>

namespace hocket::runtime {

/// Rounded towards minus infinity; b > 0.
static int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

int64_t ConvolutionDim::firstOutput(int64_t tap) const {
  return std::max<int64_t>(-floorDivide(tap * dilation - low, stride), 0);
}

int64_t ConvolutionDim::lastOutput(int64_t tap) const {
  int64_t last = floorDivide(x - 1 - tap * dilation + low, stride) + 1;
  return std::max(std::min(last, y), firstOutput(tap));
}

/// Dims of extent 1 before the spatial ones.
static Operand withThreeDims(Operand operand) {
  size_t missing = 5 - operand.shape.size();
  operand.shape.insert(operand.shape.begin() + 2, missing, 1);
  operand.strides.insert(operand.strides.begin() + 2, missing, 0);
  return operand;
}

ConvolutionProblem::ConvolutionProblem(const ConvolutionArguments &given)
    : pass(given.pass), batch(given.x.shape[0]), groups(given.groups),
      xChannels(given.weight.shape[1]),
      yChannels(given.weight.shape[0] / given.groups),
      x(withThreeDims(given.x)), weight(withThreeDims(given.weight)),
      y(withThreeDims(given.y)), bias(given.bias) {
  size_t missing = dims.size() - given.strides.size();
  for (size_t i = missing; i < dims.size(); ++i) {
    size_t dim = i - missing;
    dims[i] = {x.shape[i + 2],     y.shape[i + 2],       weight.shape[i + 2],
               given.strides[dim], given.dilations[dim], given.lows[dim]};
  }
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "[" : ", ") + std::to_string(extent);
  return text + "]";
}

std::string describe(const ConvolutionArguments &arguments) {
  return "convolution of " + shapeText(arguments.x.shape) + " by " +
         shapeText(arguments.weight.shape) + " " +
         plan::toString(arguments.x.type);
}

Status makeConvolution(const ConvolutionArguments &arguments, int threads,
                       std::unique_ptr<Call> &call) {
  call = makeDnnlConvolution(arguments);
  if (!call)
    call = makePlainConvolution(arguments, threads);
  return Status::success();
}

} // namespace hocket::runtime
