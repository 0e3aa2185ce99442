//===- LookupError.cuh - telling of an id outside of a table ---*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_LOOKUPERROR_CUH
#define HOCKET_LIB_CUDA_KERNELS_LOOKUPERROR_CUH

#include "runtime/lib/Cuda/Kernels/LookupError.h"

namespace hocket::runtime::cuda {

/// The maximum of complements is that of the least place, with either half.
static __device__ inline void tellOf(int64_t id, uint64_t place,
                                     uint64_t error) {
  auto *words = reinterpret_cast<unsigned long long *>(error);
  atomicMax(&words[0], ~(place << 32 | (uint64_t(id) & 0xffffffff)));
  atomicMax(&words[1], ~(place << 32 | uint64_t(id) >> 32));
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_LOOKUPERROR_CUH
