//===- PoolingParameters.h - what the kernels of Pooling.cu take *- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_POOLINGPARAMETERS_H
#define HOCKET_LIB_CUDA_KERNELS_POOLINGPARAMETERS_H

#include "runtime/lib/Cuda/Kernels/LoopParameters.h"

namespace hocket::runtime::cuda {

/// One spatial dim; see plan::Pooling. `x` and `y` positions are held here.
struct PoolingDim {
  int32_t x, y, taps, stride, dilation, low, high, extent, xFirst, yFirst;
  int64_t xStep, yStep; // bytes
};

/// The loops count elements of what is written: strides of that, of y (of a
/// gradient), of x, both without spatial dims, and of the place: spatial
/// indices of 21 bits each, the last one lowest.
constexpr int placeBits = 21;
struct PoolingParameters {
  uint64_t out, y, x;
  PoolingDim dims[3];
  int64_t firstPlace;
  int32_t countsBorder, unused;
  Loops loops;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_POOLINGPARAMETERS_H
