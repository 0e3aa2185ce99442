//===- LoopParameters.h - strided loops as kernels take them ---*- C++ -*-===//
//
// Read by nvcc as well: no more than plain structs.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_KERNELS_LOOPPARAMETERS_H
#define HOCKET_LIB_CUDA_KERNELS_LOOPPARAMETERS_H

#include <stdint.h>

namespace hocket::runtime::cuda {

constexpr int mostOperands = 4;

/// n / extent for n < 2^31 as mulhi(n, multiplier) >> shift (Granlund and
/// Montgomery 1994); the extent is 2 at least.
struct LoopDim {
  uint32_t extent, multiplier, shift, unused;
  int64_t strides[mostOperands]; // bytes, by operand
};

/// Counts 0 to `total` - 1 over dims, the innermost first.
struct Loops {
  static constexpr int mostDims = 16;
  uint32_t total; // < 2^31
  int32_t rank;
  LoopDim dims[mostDims];
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_LOOPPARAMETERS_H
