//===- ConvolutionForm.cpp - a convolution as cuDNN sees it ---------------===//

#include "runtime/lib/Cuda/Dnn/ConvolutionForm.h"
#include "runtime/lib/Cuda/Dnn/ConvolutionChecks.h"
#include "runtime/lib/Cuda/ListText.h"
#include <algorithm>

namespace hocket::runtime::cuda {

using plan::ConvolutionPass;

const Operand &resultOf(const ConvolutionArguments &arguments) {
  switch (arguments.pass) {
  case ConvolutionPass::Forward:
    return arguments.y;
  case ConvolutionPass::InputGradient:
    return arguments.x;
  default:
    return arguments.weight;
  }
}

std::string describe(const ConvolutionArguments &arguments) {
  std::string text = "convolution of " + listText(arguments.x.shape) + " by " +
                     listText(arguments.weight.shape) + " " +
                     std::string(plan::toString(arguments.x.type));
  switch (arguments.pass) {
  case ConvolutionPass::Forward:
    return text;
  case ConvolutionPass::InputGradient:
    return "input gradient of the " + text;
  default:
    return "weight gradient of the " + text;
  }
}

/// A 1-D convolution is one of rows: a dim of extent 1 before its own.
static DnnTensor tensorOf(const Operand &operand) {
  DnnTensor tensor;
  tensor.extents = operand.shape;
  tensor.strides = operand.strides;
  if (tensor.extents.size() == 3) {
    tensor.extents.insert(tensor.extents.begin() + 2, 1);
    tensor.strides.insert(tensor.strides.begin() + 2, 1);
  }
  return tensor;
}

static void setWindows(const ConvolutionArguments &arguments,
                       ConvolutionForm &form) {
  form.strides = arguments.strides;
  form.dilations = arguments.dilations;
  form.lows = arguments.lows;
  form.highs = arguments.highs;
  if (form.strides.size() > 1)
    return;
  form.strides.insert(form.strides.begin(), 1);
  form.dilations.insert(form.dilations.begin(), 1);
  form.lows.insert(form.lows.begin(), 0);
  form.highs.insert(form.highs.begin(), 0);
}

/// Leaves out of x what negative lows and highs do. False if nothing is left.
static bool crop(ConvolutionForm &form) {
  bool isLeft = true;
  for (size_t dim = 0; dim < form.lows.size(); ++dim) {
    int64_t &low = form.lows[dim], &high = form.highs[dim];
    int64_t &extent = form.x.extents[dim + 2];
    form.hasZeros |= low < 0 || high < 0;
    extent += std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0);
    form.x.offset -= std::min<int64_t>(low, 0) * form.x.strides[dim + 2];
    low = std::max<int64_t>(low, 0);
    high = std::max<int64_t>(high, 0);
    isLeft &= extent > 0;
  }
  return isLeft;
}

/// Of a tensor without gaps, with channels first or innermost.
static std::vector<int64_t> denseStrides(const std::vector<int64_t> &extents,
                                         bool channelsInnermost) {
  std::vector<int64_t> strides(extents.size());
  int64_t next = 1;
  auto place = [&](size_t dim) {
    strides[dim] = next;
    next *= extents[dim];
  };
  if (channelsInnermost)
    place(1);
  for (size_t dim = extents.size(); dim-- > 2;)
    place(dim);
  if (!channelsInnermost)
    place(1);
  place(0);
  return strides;
}

static bool liesAs(const DnnTensor &tensor,
                   const std::vector<int64_t> &strides) {
  bool same = true;
  for (size_t dim = 0; dim < strides.size(); ++dim)
    same &= tensor.extents[dim] == 1 || tensor.strides[dim] == strides[dim];
  return same;
}

static bool liesInnermost(const DnnTensor &tensor) {
  return liesAs(tensor, denseStrides(tensor.extents, true)) &&
         !liesAs(tensor, denseStrides(tensor.extents, false));
}

/// Sets the strides of dims of extent 1, which mean nothing: to those of a
/// known layout, else to one that no other dim overlaps.
static void setUnitStrides(DnnTensor &tensor, bool channelsInnermost) {
  for (bool innermost : {channelsInnermost, !channelsInnermost}) {
    std::vector<int64_t> dense = denseStrides(tensor.extents, innermost);
    if (!liesAs(tensor, dense))
      continue;
    tensor.strides = dense;
    return;
  }
  int64_t span = 1;
  for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
    if (tensor.extents[dim] > 1)
      span = std::max(span, tensor.extents[dim] * tensor.strides[dim]);
  for (size_t dim = 0; dim < tensor.extents.size(); ++dim)
    if (tensor.extents[dim] == 1)
      tensor.strides[dim] = span;
}

static void setBias(const Operand &bias, size_t rank, ConvolutionForm &form) {
  form.bias.isCopied = !isTakenAsItLies(bias, /*mayHaveGaps=*/true);
  form.bias.copyStrides = {1};
  int64_t stride = form.bias.isCopied ? 1 : bias.strides[0];
  form.bias.extents.assign(rank, 1);
  form.bias.extents[1] = bias.shape[0];
  form.bias.strides.assign(rank, bias.shape[0] * stride);
  form.bias.strides[1] = stride;
}

/// Copies an operand that cuDNN does not take as it lies.
static void setCopy(const Operand &operand, bool isCopied,
                    bool channelsInnermost, DnnTensor &tensor) {
  tensor.isCopied = isCopied;
  if (!isCopied)
    return;
  tensor.strides = denseStrides(tensor.extents, channelsInnermost);
  tensor.copyStrides = tensor.strides;
  if (operand.shape.size() == 3) // see tensorOf
    tensor.copyStrides.erase(tensor.copyStrides.begin() + 2);
}

/// Whether x is copied into zeros. In gradients of convolutions with other lows
/// than highs, cuDNN 9.19 gave wrong numbers on an H200 where channels were
/// innermost, or a dim of extent 1 left that open (docs/gpu.md).
static bool isPadded(const ConvolutionArguments &arguments) {
  if (arguments.pass == ConvolutionPass::Forward)
    return false;
  for (size_t dim = 0; dim < arguments.lows.size(); ++dim)
    if (std::max<int64_t>(arguments.lows[dim], 0) !=
        std::max<int64_t>(arguments.highs[dim], 0))
      return true;
  return false;
}

/// The shape of x with the lows and highs that are zeros.
static std::vector<int64_t> paddedShape(const ConvolutionArguments &arguments) {
  std::vector<int64_t> shape = arguments.x.shape;
  for (size_t dim = 0; dim < arguments.lows.size(); ++dim)
    shape[dim + 2] += std::max<int64_t>(arguments.lows[dim], 0) +
                      std::max<int64_t>(arguments.highs[dim], 0);
  return shape;
}

/// Before crop(), which leaves lows and highs of at least 0.
static void pad(const ConvolutionArguments &arguments, ConvolutionForm &form) {
  DnnTensor &x = form.x;
  x.paddedShape = paddedShape(arguments);
  Operand padded = arguments.x;
  padded.shape = x.paddedShape;
  padded.strides.assign(padded.shape.size(), 1);
  x.extents = tensorOf(padded).extents;
  setCopy(padded, true, /*channelsInnermost=*/false, x);
  for (size_t dim = 0; dim < form.lows.size(); ++dim) {
    int64_t &low = form.lows[dim], &high = form.highs[dim];
    x.copyOffset += std::max<int64_t>(low, 0) * x.strides[dim + 2];
    low = std::min<int64_t>(low, 0);
    high = std::min<int64_t>(high, 0);
  }
  x.offset = -x.copyOffset;
}

std::optional<Operand> zerosAround(const ConvolutionArguments &arguments,
                                   const ConvolutionForm &form) {
  if (form.x.paddedShape.empty() || !form.isComputed() ||
      form.pass != ConvolutionPass::WeightGradient)
    return std::nullopt;
  Operand all = arguments.x;
  all.shape = form.x.paddedShape;
  all.strides = form.x.copyStrides;
  return all;
}

/// The strides that cuDNN gets; a copy of x or y lies as the other.
static void setLayouts(const ConvolutionArguments &arguments,
                       ConvolutionForm &form) {
  bool takesX = isTakenAsItLies(arguments.x, /*mayHaveGaps=*/true);
  bool takesY = isTakenAsItLies(arguments.y, /*mayHaveGaps=*/true);
  bool innermost =
      (takesX && liesInnermost(form.x)) || (takesY && liesInnermost(form.y));
  setCopy(arguments.x, !takesX, innermost, form.x);
  setCopy(arguments.y, !takesY, innermost, form.y);
  setCopy(arguments.weight,
          !isTakenAsItLies(arguments.weight, /*mayHaveGaps=*/false),
          /*channelsInnermost=*/false, form.weight);
  for (DnnTensor *tensor : {&form.x, &form.weight, &form.y})
    setUnitStrides(*tensor, innermost);
  if (arguments.bias)
    setBias(*arguments.bias, form.y.extents.size(), form);
}

/// Whether nothing adds to the result: it is a gradient, or stays a reason.
static void setWithoutTerms(ConvolutionForm &form) {
  form.hasTerms = false;
  form.hasZeros = true;
  if (form.pass == ConvolutionPass::Forward)
    form.reason = "every window of the convolution lies outside of x or has no "
                  "channels";
}

ConvolutionForm formOf(const ConvolutionArguments &arguments) {
  ConvolutionForm form;
  form.pass = arguments.pass;
  form.reason = checkArguments(arguments, form.type);
  if (!form.reason.empty())
    return form;
  form.compute = form.type == DnnF64 ? DnnF64 : DnnF32;
  if (resultOf(arguments).elements() == 0) {
    form.isEmpty = true;
    return form;
  }
  form.x = tensorOf(arguments.x);
  form.weight = tensorOf(arguments.weight);
  form.y = tensorOf(arguments.y);
  setWindows(arguments, form);
  bool hasElements = arguments.x.elements() > 0 &&
                     arguments.weight.elements() > 0 &&
                     arguments.y.elements() > 0;
  if (hasElements)
    setLayouts(arguments, form);
  if (hasElements && isPadded(arguments))
    pad(arguments, form);
  if (!hasElements || !crop(form))
    setWithoutTerms(form);
  else
    form.hasZeros &= form.pass == ConvolutionPass::InputGradient;
  return form;
}

std::string whyNotDnn(const ConvolutionArguments &arguments) {
  return formOf(arguments).reason;
}

int64_t convolutionWorkspaceBytes(const ConvolutionArguments &arguments) {
  int64_t bytes = 0;
  for (const Operand *operand : {&arguments.x, &arguments.weight, &arguments.y})
    bytes += operand->elements() * plan::byteSize(operand->type);
  bytes *= 2;
  if (isPadded(arguments)) {
    Operand padded = arguments.x;
    padded.shape = paddedShape(arguments);
    bytes += padded.elements() * plan::byteSize(padded.type);
  }
  return (int64_t(32) << 20) + bytes;
}

} // namespace hocket::runtime::cuda
