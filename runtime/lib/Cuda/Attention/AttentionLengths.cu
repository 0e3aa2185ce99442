//===- AttentionLengths.cu - how many keys padding leaves -----------------===//
//
// A block a batch entry.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/LengthsParameters.h"
#include "runtime/lib/Cuda/Kernels/LookupError.cuh"

using namespace hocket::runtime::cuda;

extern "C" __global__ void __launch_bounds__(lengthsThreads)
    lengths(const __grid_constant__ LengthsParameters p) {
  __shared__ int shown, last; // how many keys, and the number of the last
  if (threadIdx.x == 0) {
    shown = 0;
    last = -1;
  }
  __syncthreads();
  const uint8_t *keep =
      reinterpret_cast<const uint8_t *>(p.keep) + blockIdx.x * p.keepStrides[0];
  int count = 0, end = -1;
  for (int key = threadIdx.x; key < p.keys; key += lengthsThreads)
    if (keep[key * p.keepStrides[1]]) {
      ++count;
      end = key;
    }
  atomicAdd(&shown, count);
  atomicMax(&last, end);
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  // Padding behind the keys leaves the first ones.
  if (shown == 0 || last != shown - 1)
    tellOf(last, blockIdx.x, p.error);
  reinterpret_cast<int32_t *>(p.queryLengths)[blockIdx.x] = p.queries;
  reinterpret_cast<int32_t *>(p.keyLengths)[blockIdx.x] = max(shown, 1);
}
