//===- Convolution.h - which convolutions cuDNN computes -------*- C++ -*-===//
//
// Asked when compiling, so it needs neither the library nor a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CUDA_CONVOLUTION_H
#define HOCKET_CUDA_CONVOLUTION_H

#include "hocket/Cpu/Convolution.h"

namespace hocket::runtime::cuda {

/// The most memory on the device that a convolution takes beside its operands:
/// twice as much as x, weight and y, which an engine may turn to channels
/// innermost after they were copied, what a padded copy of x takes, and 32 MiB.
int64_t convolutionWorkspaceBytes(const ConvolutionArguments &arguments);

/// Why cuDNN cannot compute this where its operands lie, or nothing. `data` of
/// the operands is not looked at. It can:
/// - 1 to 3 spatial dims, all of f32, f64, f16 or bf16; f16 and bf16 are added
///   up in f32;
/// - any strides; operands that repeat elements, and a weight with gaps, are
///   copied before or, as results, after;
/// - any lows and highs, also negative ones, which leave out what lies at the
///   border of x; in gradients, x is a copy with zeros around it where lows are
///   not highs;
/// - gradients that nothing adds to, which are zeros, and results without
///   elements.
std::string whyNotDnn(const ConvolutionArguments &arguments);

} // namespace hocket::runtime::cuda

#endif // HOCKET_CUDA_CONVOLUTION_H
