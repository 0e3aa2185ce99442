//===- ReduceParameters.h - what the kernels of Reduce.cu take -*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_REDUCEPARAMETERS_H
#define HOCKET_LIB_CUDA_KERNELS_REDUCEPARAMETERS_H

#include "runtime/lib/Cuda/Kernels/LoopParameters.h"

namespace hocket::runtime::cuda {

/// dst = terms[0] op terms[1] op ... for the units [first, first + count), one
/// a thread in blocks of 256. A unit is one element, or 16 bytes of elements.
struct ReduceParameters {
  static constexpr int mostTerms = 16;
  uint32_t first, count;
  int32_t termCount, unused;
  uint64_t dst, terms[mostTerms];
  Loops loops;                                     // strides: of dst
  int64_t termStrides[mostTerms][Loops::mostDims]; // bytes
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_REDUCEPARAMETERS_H
