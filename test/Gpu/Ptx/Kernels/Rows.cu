//===- Rows.cu - kernels whose blocks take a row each ---------------------===//

#include <cuda_bf16.h>
#include <stdint.h>

static __device__ float sumOfWarp(float value) {
  for (int step = 16; step; step >>= 1)
    value += __shfl_xor_sync(~0u, value, step);
  return value;
}
static __device__ float largestOfWarp(float value) {
  for (int step = 16; step; step >>= 1)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

/// Of 128 threads: by warps, then through shared memory.
template <bool isSum> static __device__ float ofBlock(float value) {
  __shared__ float parts[4];
  value = isSum ? sumOfWarp(value) : largestOfWarp(value);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  float all = parts[0];
  for (int i = 1; i < 4; ++i)
    all = isSum ? all + parts[i] : fmaxf(all, parts[i]);
  __syncthreads();
  return all;
}

/// Rows of 1024, 8 elements a thread.
extern "C" __global__ void __launch_bounds__(128)
    softmax(const float4 *__restrict__ x, float4 *__restrict__ y) {
  float4 given[2];
  const float4 *row = x + blockIdx.x * 256L;
  given[0] = row[threadIdx.x];
  given[1] = row[threadIdx.x + 128];
  float *values = reinterpret_cast<float *>(given);
  float largest = values[0];
  for (int i = 1; i < 8; ++i)
    largest = fmaxf(largest, values[i]);
  largest = ofBlock<false>(largest);
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += values[i] = exp2f((values[i] - largest) * 1.44269504f);
  float scale = 1 / ofBlock<true>(sum);
  for (int i = 0; i < 8; ++i)
    values[i] *= scale;
  float4 *out = y + blockIdx.x * 256L;
  out[threadIdx.x] = given[0];
  out[threadIdx.x + 128] = given[1];
}

/// Rows of 1024 bf16, normalized to mean 0 and variance 1, scaled and shifted.
extern "C" __global__ void __launch_bounds__(128)
    layerNorm(const uint4 *__restrict__ x, const float *__restrict__ weight,
              const float *__restrict__ bias, uint4 *__restrict__ y) {
  uint4 words = x[blockIdx.x * 128L + threadIdx.x];
  __nv_bfloat162 *pairs = reinterpret_cast<__nv_bfloat162 *>(&words);
  float values[8], sum = 0;
  for (int i = 0; i < 4; ++i) {
    float2 pair = __bfloat1622float2(pairs[i]);
    values[2 * i] = pair.x;
    values[2 * i + 1] = pair.y;
    sum += pair.x + pair.y;
  }
  float mean = ofBlock<true>(sum) / 1024;
  sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += (values[i] - mean) * (values[i] - mean);
  float scale = rsqrtf(ofBlock<true>(sum) / 1024 + 1e-5f);
  for (int i = 0; i < 4; ++i) {
    int column = threadIdx.x * 8 + 2 * i;
    pairs[i] = __floats2bfloat162_rn(
        (values[2 * i] - mean) * scale * weight[column] + bias[column],
        (values[2 * i + 1] - mean) * scale * weight[column + 1] +
            bias[column + 1]);
  }
  y[blockIdx.x * 128L + threadIdx.x] = words;
}
