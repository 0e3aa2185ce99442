//===- Elements.cu - kernels whose threads take a few elements each -------===//

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

/// Eight bf16 a thread.
extern "C" __global__ void __launch_bounds__(256)
    gelu(const uint4 *__restrict__ x, uint4 *__restrict__ y, long count) {
  long i = blockIdx.x * 256L + threadIdx.x;
  if (i >= count)
    return;
  uint4 words = x[i];
  __nv_bfloat162 *pairs = reinterpret_cast<__nv_bfloat162 *>(&words);
  for (int k = 0; k < 4; ++k) {
    float2 pair = __bfloat1622float2(pairs[k]);
    pair.x = 0.5f * pair.x * (1 + erff(pair.x * 0.70710678f));
    pair.y = 0.5f * pair.y * (1 + erff(pair.y * 0.70710678f));
    pairs[k] = __float22bfloat162_rn(pair);
  }
  y[i] = words;
}

/// Philox4x32-10 of the block of four elements; below the threshold is dropped.
extern "C" __global__ void dropout(const float4 *__restrict__ x,
                                   float4 *__restrict__ y, uint64_t key,
                                   uint32_t step, uint32_t threshold,
                                   float scale, long count) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  uint32_t c[4] = {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), step, 0};
  uint32_t k0 = key, k1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b,
                        (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
    for (int j = 0; j < 4; ++j)
      c[j] = next[j];
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  float4 v = x[i];
  v.x = c[0] >= threshold ? v.x * scale : 0;
  v.y = c[1] >= threshold ? v.y * scale : 0;
  v.z = c[2] >= threshold ? v.z * scale : 0;
  v.w = c[3] >= threshold ? v.w * scale : 0;
  y[i] = v;
}

/// Tiles of 32 through shared memory, 8 rows of threads.
extern "C" __global__ void transpose(const float *__restrict__ x,
                                     float *__restrict__ y, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
  for (int i = threadIdx.y; i < 32; i += 8)
    if (row + i < rows && column < columns)
      tile[i][threadIdx.x] = x[(long)(row + i) * columns + column];
  __syncthreads();
  int outColumn = blockIdx.y * 32 + threadIdx.x, outRow = blockIdx.x * 32;
  for (int i = threadIdx.y; i < 32; i += 8)
    if (outRow + i < columns && outColumn < rows)
      y[(long)(outRow + i) * rows + outColumn] = tile[threadIdx.x][i];
}

/// What compilers make of integers, doubles and halves.
extern "C" __global__ void mixture(const int *__restrict__ ids,
                                   const __half *__restrict__ h,
                                   double *__restrict__ out, int count,
                                   long divisor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int id = ids[i];
  double value = 0;
  switch (id % 5) {
  case 0:
    value = sqrt((double)id);
    break;
  case 1:
    value = (double)(((long)id * 1000003L) / divisor);
    break;
  case 2:
    value = __half2float(__hfma(h[i], h[i], __float2half(0.5f)));
    break;
  case 3:
    value = __popc(id) + __clz(id) * 100;
    break;
  default:
    value = exp((double)id / 100);
  }
  out[i] = value + __half2float(__hadd(h[i], h[i]));
}
