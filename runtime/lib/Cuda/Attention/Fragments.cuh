//===- Fragments.cuh - tiles of 16-bit floats and tensor cores -*- C++ -*-===//
//
// A tile has rows of `depth` elements in shared memory, whose groups of 16
// bytes are exchanged by row, so that eight rows at one place of a row are in
// all banks. A warp takes fragments of 16 x 16 of it with ldmatrix for
// mma.m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16").
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_FRAGMENTS_CUH
#define HOCKET_LIB_CUDA_ATTENTION_FRAGMENTS_CUH

#include "runtime/lib/Cuda/Attention/AttentionParameters.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

static __device__ inline uint32_t sharedAddress(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

/// Where group `group` of a row is in a tile, in elements.
template <int depth> static __device__ inline int groupAt(int row, int group) {
  constexpr int groups = depth / 8;
  int mixed = groups >= 8 ? group ^ (row & 7) : group ^ (row >> 1 & 3);
  return row * depth + mixed * 8;
}

/// Copies 16 bytes, or zeros, without waiting.
static __device__ inline void copyGroup(void *to, const void *from,
                                        bool isThere) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(to)),
      "l"(from), "r"(isThere ? 16 : 0)
      : "memory");
}
static __device__ inline void waitForCopies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// Rows [first, first + rows) of a head become a tile; what is not there is
/// zeros. It is there after waitForCopies() of all threads and a barrier.
template <int depth, int rows, class T>
static __device__ inline void loadTile(T *tile, const HeadTensor &x,
                                       const T *head, int first, int count) {
  constexpr int groups = depth / 8;
#pragma unroll
  for (int i = threadIdx.x; i < rows * groups; i += halfThreads) {
    int row = i / groups, column = i % groups * 8;
    bool isThere = first + row < count && column < x.extent;
    const T *from = head + (isThere ? (first + row) * x.strides[2] : 0);
    T *to = tile + groupAt<depth>(row, i % groups);
    if (x.hasGroups) {
      copyGroup(to, from + (isThere ? column : 0), isThere);
      continue;
    }
    uint4 words = {};
    T *elements = reinterpret_cast<T *>(&words);
    if (isThere)
#pragma unroll
      for (int e = 0; e < 8; ++e)
        if (column + e < x.extent)
          elements[e] = from[(column + e) * x.strides[3]];
    *reinterpret_cast<uint4 *>(to) = words;
  }
}

/// The rows of a warp of a tile, 16, back to a head.
template <int depth, class T>
static __device__ inline void storeRows(const T *tile, int row0,
                                        const HeadTensor &x, T *head, int first,
                                        int count) {
  constexpr int groups = depth / 8;
  for (int i = threadIdx.x % 32; i < 16 * groups; i += 32) {
    int row = row0 + i / groups, column = i % groups * 8;
    if (first + row >= count || column >= x.extent)
      continue;
    T *to = head + (first + row) * x.strides[2];
    uint4 words = *reinterpret_cast<const uint4 *>(
        tile + groupAt<depth>(row, i % groups));
    if (x.hasGroups) {
      *reinterpret_cast<uint4 *>(to + column) = words;
      continue;
    }
    const T *elements = reinterpret_cast<const T *>(&words);
#pragma unroll
    for (int e = 0; e < 8; ++e)
      if (column + e < x.extent)
        to[(column + e) * x.strides[3]] = elements[e];
  }
}

static __device__ inline void loadMatrices(uint32_t (&r)[4],
                                           const void *pointer) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(sharedAddress(pointer))
               : "memory");
}
static __device__ inline void loadTransposed(uint32_t (&r)[4],
                                             const void *pointer) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(sharedAddress(pointer))
      : "memory");
}

/// Rows [row, row + 16) and columns [column, column + 16): a left operand.
template <int depth, class T>
static __device__ inline void leftOf(uint32_t (&a)[4], const T *tile, int row,
                                     int column) {
  int lane = threadIdx.x % 32;
  loadMatrices(a,
               tile + groupAt<depth>(row + lane % 16, column / 8 + lane / 16));
}
/// The same transposed: a right operand of 16 columns, two fragments.
template <int depth, class T>
static __device__ inline void rightOfRows(uint32_t (&b)[4], const T *tile,
                                          int row, int column) {
  int lane = threadIdx.x % 32;
  loadMatrices(b, tile + groupAt<depth>(row + lane % 8 + lane / 16 * 8,
                                        column / 8 + lane / 8 % 2));
}
/// As it is: a right operand whose rows are the tile's.
template <int depth, class T>
static __device__ inline void rightOf(uint32_t (&b)[4], const T *tile, int row,
                                      int column) {
  int lane = threadIdx.x % 32;
  loadTransposed(
      b, tile + groupAt<depth>(row + lane % 16, column / 8 + lane / 16));
}

/// c += a b
template <class T>
static __device__ inline void multiply(float (&c)[4], const uint32_t (&a)[4],
                                       uint32_t b0, uint32_t b1);
#define HOCKET_MULTIPLY(T, type)                                               \
  template <>                                                                  \
  __device__ inline void multiply<T>(float (&c)[4], const uint32_t (&a)[4],    \
                                     uint32_t b0, uint32_t b1) {               \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type        \
                 ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"  \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),        \
                   "r"(b1));                                                   \
  }
HOCKET_MULTIPLY(__half, "f16")
HOCKET_MULTIPLY(__nv_bfloat16, "bf16")
#undef HOCKET_MULTIPLY

/// 2^x as one instruction; what is less than 2^-126 is 0.
static __device__ inline float powerOfTwo(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <class T>
static __device__ inline uint32_t packed(float low, float high);
template <> __device__ inline uint32_t packed<__half>(float low, float high) {
  __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<uint32_t *>(&pair);
}
template <>
__device__ inline uint32_t packed<__nv_bfloat16>(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<uint32_t *>(&pair);
}

/// scores[16 rows, columns] += left rows times right rows, over depth.
template <int depth, int columns, class T>
static __device__ inline void multiplyRows(float (&scores)[columns / 8][4],
                                           const T *left, int row,
                                           const T *right) {
#pragma unroll
  for (int d = 0; d < depth; d += 16) {
    uint32_t a[4];
    leftOf<depth>(a, left, row, d);
#pragma unroll
    for (int n = 0; n < columns; n += 16) {
      uint32_t b[4];
      rightOfRows<depth>(b, right, n, d);
      multiply<T>(scores[n / 8], a, b[0], b[1]);
      multiply<T>(scores[n / 8 + 1], a, b[2], b[3]);
    }
  }
}

/// sums[16 rows, depth] += weights[16 rows, columns], rounded to T, times the
/// tile.
template <int depth, int columns, class T>
static __device__ inline void
multiplyWeights(float (&sums)[depth / 8][4],
                const float (&weights)[columns / 8][4], const T *tile) {
#pragma unroll
  for (int k = 0; k < columns; k += 16) {
    const float (&low)[4] = weights[k / 8], (&high)[4] = weights[k / 8 + 1];
    uint32_t a[4] = {packed<T>(low[0], low[1]), packed<T>(low[2], low[3]),
                     packed<T>(high[0], high[1]), packed<T>(high[2], high[3])};
#pragma unroll
    for (int n = 0; n < depth; n += 16) {
      uint32_t b[4];
      rightOf<depth>(b, tile, k, n);
      multiply<T>(sums[n / 8], a, b[0], b[1]);
      multiply<T>(sums[n / 8 + 1], a, b[2], b[3]);
    }
  }
}

/// The rows of a warp's sums, each times its factor, into a tile.
template <int depth, class T>
static __device__ inline void keepRows(T *tile, int row,
                                       const float (&sums)[depth / 8][4],
                                       const float (&factors)[2]) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int n = 0; n < depth / 8; ++n)
      *reinterpret_cast<uint32_t *>(
          tile + groupAt<depth>(row + lane / 4 + half * 8, n) + lane % 4 * 2) =
          packed<T>(sums[n][2 * half] * factors[half],
                    sums[n][2 * half + 1] * factors[half]);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_FRAGMENTS_CUH
