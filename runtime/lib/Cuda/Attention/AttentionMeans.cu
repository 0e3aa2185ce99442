//===- AttentionMeans.cu - of dout * out over each row --------------------===//
//
// What the gradients of a row's scores are counted from: the mean of the
// gradients of its weights. A warp a row.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/Heads.cuh"
#include "runtime/lib/Cuda/Kernels/Groups.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

constexpr int threads = 128;

template <class T, class Wide>
static __device__ void average(const AttentionParameters &p) {
  constexpr int n = 16 / sizeof(T);
  uint32_t row = blockIdx.x * (threads / 32) + threadIdx.x / 32;
  if (row >= p.rows)
    return;
  int lane = threadIdx.x % 32;
  int64_t head = row / uint32_t(p.queries), query = row % uint32_t(p.queries);
  int64_t b = head / p.heads, h = head % p.heads;
  const T *one = headOf<T>(p.dout, b, h) + query * p.dout.strides[2];
  const T *two = headOf<T>(p.out, b, h) + query * p.out.strides[2];
  const int width = int(p.out.extent);
  Wide sum = 0;
  if (p.dout.hasGroups && p.out.hasGroups)
    for (int d = lane * n; d < width; d += 32 * n) {
      Group<T, n> a = loadGroup<T, n>(one + d), c = loadGroup<T, n>(two + d);
#pragma unroll
      for (int e = 0; e < n; ++e)
        sum += Wide(a.elements[e]) * Wide(c.elements[e]);
    }
  else
    for (int d = lane; d < width; d += 32)
      sum += Wide(one[d * p.dout.strides[3]]) * Wide(two[d * p.out.strides[3]]);
#pragma unroll
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0)
    reinterpret_cast<Wide *>(p.means)[row] = sum;
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, Wide)                                           \
  extern "C" __global__ void __launch_bounds__(128)                            \
      name(const __grid_constant__ AttentionParameters p) {                    \
    average<T, Wide>(p);                                                       \
  }

HOCKET_KERNEL(meansF32, float, float)
HOCKET_KERNEL(meansF64, double, double)
HOCKET_KERNEL(meansF16, __half, float)
HOCKET_KERNEL(meansBF16, __nv_bfloat16, float)
