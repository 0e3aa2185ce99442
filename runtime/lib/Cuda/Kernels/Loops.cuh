//===- Loops.cuh - strided loops in a kernel -------------------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_LOOPS_CUH
#define HOCKET_LIB_CUDA_KERNELS_LOOPS_CUH

#include "runtime/lib/Cuda/Kernels/LoopParameters.h"

namespace hocket::runtime::cuda {

/// n becomes n / extent; returns the remainder.
static __device__ inline uint32_t divide(uint32_t &n, const LoopDim &dim) {
  uint32_t quotient = __umulhi(n, dim.multiplier) >> dim.shift;
  uint32_t rest = n - quotient * dim.extent;
  n = quotient;
  return rest;
}

/// Where each of N operands is at number `n` of the loops, in bytes.
template <int N>
static __device__ inline void offsetsAt(const Loops &loops, uint32_t n,
                                        int64_t (&offsets)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    offsets[i] = 0;
#pragma unroll
  for (int k = 0; k < Loops::mostDims; ++k) {
    if (k >= loops.rank)
      break;
    // What the outermost dim leaves is not divided.
    uint32_t index = n;
    if (k + 1 < loops.rank)
      index = divide(n, loops.dims[k]);
#pragma unroll
    for (int i = 0; i < N; ++i)
      offsets[i] += int64_t(index) * loops.dims[k].strides[i];
  }
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_LOOPS_CUH
