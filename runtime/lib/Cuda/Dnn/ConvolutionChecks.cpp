//===- ConvolutionChecks.cpp - which convolutions cuDNN takes -------------===//

#include "runtime/lib/Cuda/Dnn/ConvolutionChecks.h"
#include "runtime/lib/Cuda/ListText.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime::cuda {

using plan::DType;

static bool libraryType(DType type, DnnType &found) {
  switch (type) {
  case DType::F32:
    found = DnnF32;
    return true;
  case DType::F64:
    found = DnnF64;
    return true;
  case DType::F16:
    found = DnnF16;
    return true;
  case DType::BF16:
    found = DnnBF16;
    return true;
  default:
    return false;
  }
}

static std::string checkTypes(const ConvolutionArguments &arguments,
                              DnnType &type) {
  DType wanted = arguments.x.type;
  if (!libraryType(wanted, type))
    return std::string("cuDNN convolves f32, f64, f16 and bf16, not ") +
           plan::toString(wanted);
  std::vector<const Operand *> others = {&arguments.weight, &arguments.y};
  if (arguments.bias)
    others.push_back(&*arguments.bias);
  for (const Operand *other : others)
    if (other->type != wanted)
      return std::string("cuDNN wants one type for all operands of a "
                         "convolution, not ") +
             plan::toString(wanted) + " and " + plan::toString(other->type);
  return "";
}

static std::string checkWindow(const ConvolutionArguments &arguments,
                               size_t dim) {
  int64_t stride = arguments.strides[dim], dilation = arguments.dilations[dim];
  if (stride < 1 || dilation < 1)
    return "the strides and dilations of a convolution are at least 1, not " +
           std::to_string(std::min(stride, dilation));
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t taps = arguments.weight.shape[dim + 2];
  int64_t positions = arguments.x.shape[dim + 2] + arguments.lows[dim] +
                      arguments.highs[dim] - dilation * (taps - 1);
  if (positions > most)
    return "cuDNN takes at most 2147483647 positions in a dim, not " +
           std::to_string(positions);
  int64_t outputs = positions < 1 ? 0 : (positions - 1) / stride + 1;
  if (outputs != arguments.y.shape[dim + 2])
    return "y has " + std::to_string(arguments.y.shape[dim + 2]) +
           " positions in a dim in which the windows have " +
           std::to_string(outputs);
  return "";
}

std::string checkArguments(const ConvolutionArguments &arguments,
                           DnnType &type) {
  std::string reason = checkTypes(arguments, type);
  size_t dims = arguments.strides.size();
  if (reason.empty() && (dims < 1 || dims > 3))
    return "cuDNN convolves 1 to 3 dims, not " + std::to_string(dims);
  for (size_t dim = 0; reason.empty() && dim < dims; ++dim)
    reason = checkWindow(arguments, dim);
  return reason;
}

/// The elements from the first to the last, or none where dims overlap or one
/// repeats elements.
static std::optional<int64_t> spanOf(const Operand &operand) {
  std::vector<std::pair<int64_t, int64_t>> dims; // strides and extents
  for (size_t dim = 0; dim < operand.shape.size(); ++dim)
    if (operand.shape[dim] > 1)
      dims.emplace_back(operand.strides[dim], operand.shape[dim]);
  std::sort(dims.begin(), dims.end());
  int64_t span = 1;
  for (auto [stride, extent] : dims) {
    if (stride < span)
      return std::nullopt;
    span += stride * (extent - 1);
  }
  return span;
}

bool isTakenAsItLies(const Operand &operand, bool mayHaveGaps) {
  std::optional<int64_t> span = spanOf(operand);
  return span && (mayHaveGaps || *span == operand.elements());
}

} // namespace hocket::runtime::cuda
