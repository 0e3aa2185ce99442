//===- Attention.cu - attention forward on tensor cores -------------------===//
//
// Head dim 64, 64 queries a block of 4 warps, 64 keys a step in two stages of
// shared memory. Rows are swizzled by 16 bytes, so that ldmatrix meets all
// banks.
//
//===----------------------------------------------------------------------===//

#include <cuda_bf16.h>
#include <stdint.h>

static __device__ uint32_t sharedAddress(const void *pointer) {
  return (uint32_t)__cvta_generic_to_shared(pointer);
}
static __device__ void load(uint32_t (&r)[4], const void *pointer) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(sharedAddress(pointer)));
}
static __device__ void loadTransposed(uint32_t (&r)[4], const void *pointer) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(sharedAddress(pointer)));
}
static __device__ void multiply(float (&c)[4], const uint32_t (&a)[4],
                                uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ void copyAsync(void *to, const void *from) {
  asm volatile(
      "cp.async.cg.shared.global [%0],[%1],16;" ::"r"(sharedAddress(to)),
      "l"(from));
}
static __device__ int swizzled(int row, int column) {
  return row * 64 + ((column / 8) ^ (row % 8)) * 8;
}
static __device__ uint32_t packed(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<uint32_t *>(&pair);
}

/// [heads, length, 64]; causal; `scale` has log2(e) in it.
extern "C" __global__ void __launch_bounds__(128)
    attention(const __nv_bfloat16 *__restrict__ q,
              const __nv_bfloat16 *__restrict__ k,
              const __nv_bfloat16 *__restrict__ v,
              __nv_bfloat16 *__restrict__ out, int length, float scale) {
  extern __shared__ __align__(128) __nv_bfloat16 memory[];
  __nv_bfloat16 *queries = memory, *keys = memory + 4096,
                *values = memory + 4096 * 3;
  int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  long base = (long)blockIdx.y * length * 64;
  int first = blockIdx.x * 64, steps = blockIdx.x + 1;
  for (int i = thread; i < 512; i += 128) {
    int row = i / 8, column = i % 8 * 8;
    copyAsync(queries + swizzled(row, column),
              q + base + (long)(first + row) * 64 + column);
  }
  auto fetch = [&](int step) {
    int stage = (step & 1) * 4096;
    for (int i = thread; i < 512; i += 128) {
      int row = i / 8, column = i % 8 * 8;
      long from = base + (long)(step * 64 + row) * 64 + column;
      copyAsync(keys + stage + swizzled(row, column), k + from);
      copyAsync(values + stage + swizzled(row, column), v + from);
    }
    asm volatile("cp.async.commit_group;");
  };
  fetch(0);
  uint32_t a[4][4];
  float sums[8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {0, 0};
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      fetch(step + 1);
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncthreads();
    if (step == 0)
      for (int i = 0; i < 4; ++i)
        load(a[i],
             queries + swizzled(warp * 16 + lane % 16, i * 16 + lane / 16 * 8));
    const __nv_bfloat16 *keysNow = keys + (step & 1) * 4096;
    const __nv_bfloat16 *valuesNow = values + (step & 1) * 4096;
    float scores[8][4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i)
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        load(b, keysNow + swizzled(n * 16 + lane % 8 + lane / 16 * 8,
                                   i * 16 + lane / 8 % 2 * 8));
        multiply(scores[2 * n], a[i], b[0], b[1]);
        multiply(scores[2 * n + 1], a[i], b[2], b[3]);
      }
    float next[2] = {largest[0], largest[1]};
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 4; ++e) {
        int row = first + warp * 16 + lane / 4 + e / 2 * 8;
        int column = step * 64 + n * 8 + lane % 4 * 2 + e % 2;
        scores[n][e] = column > row ? -INFINITY : scores[n][e] * scale;
        next[e / 2] = fmaxf(next[e / 2], scores[n][e]);
      }
    for (int half = 0; half < 2; ++half) {
      next[half] = fmaxf(next[half], __shfl_xor_sync(~0u, next[half], 1));
      next[half] = fmaxf(next[half], __shfl_xor_sync(~0u, next[half], 2));
      float factor = exp2f(largest[half] - next[half]);
      largest[half] = next[half];
      total[half] *= factor;
      for (int n = 0; n < 8; ++n)
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          sums[n][e] *= factor;
          scores[n][e] = exp2f(scores[n][e] - next[half]);
          total[half] += scores[n][e];
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t weights[4] = {
          packed(scores[2 * i][0], scores[2 * i][1]),
          packed(scores[2 * i][2], scores[2 * i][3]),
          packed(scores[2 * i + 1][0], scores[2 * i + 1][1]),
          packed(scores[2 * i + 1][2], scores[2 * i + 1][3])};
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        loadTransposed(b, valuesNow + swizzled(i * 16 + lane % 16,
                                               n * 16 + lane / 16 * 8));
        multiply(sums[2 * n], weights, b[0], b[1]);
        multiply(sums[2 * n + 1], weights, b[2], b[3]);
      }
    }
    __syncthreads();
  }
  for (int half = 0; half < 2; ++half) {
    total[half] += __shfl_xor_sync(~0u, total[half], 1);
    total[half] += __shfl_xor_sync(~0u, total[half], 2);
    long row = first + warp * 16 + lane / 4 + half * 8;
    for (int n = 0; n < 8; ++n)
      *reinterpret_cast<uint32_t *>(out + base + row * 64 + n * 8 +
                                    lane % 4 * 2) =
          packed(sums[n][2 * half] / total[half],
                 sums[n][2 * half + 1] / total[half]);
  }
}
