//===- ConvolutionForm.h - a convolution as cuDNN sees it ------*- C++ -*-===//
//
// cuDNN has at least two spatial dims, and groups follow from the channels of x
// and the weight. It has no paddings below 0: what they leave out is not given
// to it.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONFORM_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONFORM_H

#include "hocket/Cuda/Convolution.h"
#include "runtime/lib/Cuda/Dnn/Api.h"

namespace hocket::runtime::cuda {

/// Batch, channels, dims; a dim of extent 1 has a stride that cuDNN knows a
/// layout by.
struct DnnTensor {
  std::vector<int64_t> extents, strides; // elements
  int64_t offset = 0; // elements from the operand's first to this one's
  /// cuDNN gets a dense copy, with `copyStrides` in the operand's dims.
  bool isCopied = false;
  std::vector<int64_t> copyStrides;
  /// Of a copy with zeros around the operand: its shape, and elements from its
  /// first to the operand's.
  std::vector<int64_t> paddedShape;
  int64_t copyOffset = 0;
};

struct ConvolutionForm {
  /// Why there is none; then nothing else of this is set.
  std::string reason;
  bool isEmpty = false; // the result has no elements
  /// Some or all elements of the result are zeros, to which nothing adds.
  bool hasZeros = false;
  bool hasTerms = true; // else nothing adds to any
  plan::ConvolutionPass pass = plan::ConvolutionPass::Forward;
  DnnTensor x, weight, y;
  DnnTensor bias; // extents: of the channels, else 1; none without a bias
  std::vector<int64_t> strides, dilations, lows, highs;
  DnnType type = DnnF32, compute = DnnF32;

  bool hasBias() const { return !bias.extents.empty(); }
  /// Whether the library is called.
  bool isComputed() const { return !isEmpty && hasTerms; }
};

ConvolutionForm formOf(const ConvolutionArguments &arguments);

/// "convolution of [1, 64, 32, 32] by [64, 64, 3, 3] f32", "input gradient of
/// the ...".
std::string describe(const ConvolutionArguments &arguments);

/// What of a computed convolution's copies has to be zeros before the operand
/// comes into it, with `data` of the operand: a padded x that is read.
std::optional<Operand> zerosAround(const ConvolutionArguments &arguments,
                                   const ConvolutionForm &form);

/// The operand that is written.
const Operand &resultOf(const ConvolutionArguments &arguments);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONFORM_H
