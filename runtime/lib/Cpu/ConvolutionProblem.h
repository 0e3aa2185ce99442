//===- ConvolutionProblem.h - a convolution in three spatial dims -*- C++ -*-=//

#ifndef HOCKET_LIB_CPU_CONVOLUTIONPROBLEM_H
#define HOCKET_LIB_CPU_CONVOLUTIONPROBLEM_H

#include "hocket/Cpu/Convolution.h"
#include <array>
#include <string>

namespace hocket::runtime {

/// One spatial dim: output o and tap t meet input o * stride + t * dilation -
/// low.
struct ConvolutionDim {
  int64_t x = 1, y = 1, taps = 1;
  int64_t stride = 1, dilation = 1, low = 0;

  int64_t inputOf(int64_t output, int64_t tap) const {
    return output * stride + tap * dilation - low;
  }
  /// Outputs [first, last) that meet an input at `tap`.
  int64_t firstOutput(int64_t tap) const;
  int64_t lastOutput(int64_t tap) const;
};

/// The arguments with three spatial dims; those that are missing have extent 1
/// and stand first. Strides: x and y by batch, channel, dims; weight by channel
/// of y, channel of x in its group, dims.
struct ConvolutionProblem {
  explicit ConvolutionProblem(const ConvolutionArguments &arguments);

  plan::ConvolutionPass pass;
  int64_t batch, groups;
  int64_t xChannels, yChannels; // in a group
  std::array<ConvolutionDim, 3> dims;
  Operand x, weight, y;
  std::optional<Operand> bias;
};

/// "convolution of [1, 64, 32, 32] by [64, 64, 3, 3] f32".
std::string describe(const ConvolutionArguments &arguments);

/// Loops of our own: any type of float, any strides.
std::unique_ptr<Call> makePlainConvolution(const ConvolutionArguments &given,
                                           int threads);

/// Null if oneDNN has nothing fast.
std::unique_ptr<Call> makeDnnlConvolution(const ConvolutionArguments &given);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_CONVOLUTIONPROBLEM_H
