//===- Convolution.h - convolutions and their gradients --------*- C++ -*-===//

#ifndef HOCKET_CPU_CONVOLUTION_H
#define HOCKET_CPU_CONVOLUTION_H

#include "hocket/Cpu/Call.h"
#include <memory>
#include <optional>

namespace hocket::runtime {

/// See plan::Convolution. Of the three operands the one that `pass` computes is
/// written.
struct ConvolutionArguments {
  plan::ConvolutionPass pass = plan::ConvolutionPass::Forward;
  Operand x, weight, y;
  std::optional<Operand> bias; // [channels of y], forward only
  std::vector<int64_t> strides, dilations, lows, highs;
  int64_t groups = 1;
};

/// Convolutions of F32, and of BF16 with a result of BF16 or F32, run in oneDNN
/// with channels innermost; operands that lie otherwise go through scratch.
/// Other types, and what oneDNN has only its reference loops for, run in loops
/// of our own: Call::implementation() tells which it is.
Status makeConvolution(const ConvolutionArguments &arguments, int threads,
                       std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_CPU_CONVOLUTION_H
