//===- ConvolutionChecks.h - which convolutions cuDNN takes ----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONCHECKS_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONCHECKS_H

#include "hocket/Cuda/Convolution.h"
#include "runtime/lib/Cuda/Dnn/Api.h"

namespace hocket::runtime::cuda {

/// What is wrong with types, shapes and windows, as a sentence, or nothing;
/// `type` is that of all operands.
std::string checkArguments(const ConvolutionArguments &arguments,
                           DnnType &type);

/// Whether cuDNN takes an operand's strides: no two places are one element,
/// and, of a weight, there are no gaps.
bool isTakenAsItLies(const Operand &operand, bool mayHaveGaps);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONCHECKS_H
