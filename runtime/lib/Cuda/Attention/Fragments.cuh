//===- Fragments.cuh - products of tiles on tensor cores -------*- C++ -*-===//
//
// A warp takes fragments of 16 x 16 of a tile with ldmatrix for mma.m16n8k16
// (PTX ISA, "Matrix Fragments for mma.m16n8k16"). It has `m` fragments of rows,
// which share each fragment of the right operand.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_FRAGMENTS_CUH
#define HOCKET_LIB_CUDA_ATTENTION_FRAGMENTS_CUH

#include "runtime/lib/Cuda/Attention/Tiles.cuh"

namespace hocket::runtime::cuda {

/// A lane's elements of sums of m x 16 rows and `columns` columns: [i][n][e] is
/// in row 16 i + rowOfLane(e) and column 8 n + columnOfLane(e).
template <int m, int columns> using Sums = float[m][columns / 8][4];
static __device__ inline int rowOfLane(int e) {
  return threadIdx.x % 32 / 4 + e / 2 * 8;
}
static __device__ inline int columnOfLane(int e) {
  return threadIdx.x % 4 * 2 + e % 2;
}

/// Where a lane finds its group of fragments of a tile, as an address.
template <int depth> class Place {
public:
  /// Of the fragment at the tile's first row and column.
  template <class T>
  __device__ Place(const T *tile, int row, int group)
      : first(sharedAddress(tile + groupAt<depth>(row, group))) {}
  /// Of one at multiples of 16: the exchange of groups depends on neither.
  __device__ uint32_t at(int row, int column) const {
    constexpr int mixed = depth >= 64 ? 0x60 : 0x20;
    return (first ^ (2 * column & mixed)) + (2 * column & ~mixed) +
           row * depth * 2;
  }

private:
  uint32_t first;
};
/// Rows from `row` on: a left operand; or as they are a right one.
template <int depth, class T>
static __device__ inline Place<depth> placeOf(const T *tile, int row = 0) {
  int lane = threadIdx.x % 32;
  return {tile, row + lane % 16, lane / 16};
}
/// The same transposed: a right operand of 16 columns, two fragments.
template <int depth, class T>
static __device__ inline Place<depth> placeOfColumns(const T *tile) {
  int lane = threadIdx.x % 32;
  return {tile, lane % 8 + lane / 16 * 8, lane / 8 % 2};
}

static __device__ inline void loadMatrices(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
static __device__ inline void loadTransposed(uint32_t (&r)[4],
                                             uint32_t address) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(address)
      : "memory");
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

/// scores[16 m rows, columns] += left rows times right rows, over depth.
template <int depth, int columns, int m, class T>
static __device__ inline void multiplyRows(float (&scores)[m][columns / 8][4],
                                           const T *left, int row,
                                           const T *right) {
  const Place<depth> a = placeOf<depth>(left, row);
  const Place<depth> b = placeOfColumns<depth>(right);
#pragma unroll
  for (int d = 0; d < depth; d += 16) {
    uint32_t rows[m][4];
#pragma unroll
    for (int i = 0; i < m; ++i)
      loadMatrices(rows[i], a.at(16 * i, d));
#pragma unroll
    for (int n = 0; n < columns; n += 16) {
      uint32_t pair[4];
      loadMatrices(pair, b.at(n, d));
#pragma unroll
      for (int i = 0; i < m; ++i) {
        multiply<T>(scores[i][n / 8], rows[i], pair[0], pair[1]);
        multiply<T>(scores[i][n / 8 + 1], rows[i], pair[2], pair[3]);
      }
    }
  }
}

/// sums[16 m rows, depth] += weights[16 m rows, columns], rounded to T, times
/// the tile.
template <int depth, int columns, int m, class T>
static __device__ inline void
multiplyWeights(float (&sums)[m][depth / 8][4],
                const float (&weights)[m][columns / 8][4], const T *tile) {
  const Place<depth> b = placeOf<depth>(tile);
#pragma unroll
  for (int k = 0; k < columns; k += 16) {
    uint32_t rows[m][4];
#pragma unroll
    for (int i = 0; i < m; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float (&pair)[4] = weights[i][k / 8 + e / 2];
        rows[i][e] = packed<T>(pair[e % 2 * 2], pair[e % 2 * 2 + 1]);
      }
#pragma unroll
    for (int n = 0; n < depth; n += 16) {
      uint32_t pair[4];
      loadTransposed(pair, b.at(k, n));
#pragma unroll
      for (int i = 0; i < m; ++i) {
        multiply<T>(sums[i][n / 8], rows[i], pair[0], pair[1]);
        multiply<T>(sums[i][n / 8 + 1], rows[i], pair[2], pair[3]);
      }
    }
  }
}

/// The rows of a warp's sums, each times its factor, into a tile.
template <int depth, int m, class T>
static __device__ inline void keepRows(T *tile, int row,
                                       const float (&sums)[m][depth / 8][4],
                                       const float (&factors)[m][2]) {
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int n = 0; n < depth / 8; ++n)
        *reinterpret_cast<uint32_t *>(
            tile + groupAt<depth>(row + 16 * i + rowOfLane(2 * half), n) +
            columnOfLane(0)) =
            packed<T>(sums[i][n][2 * half] * factors[i][half],
                      sums[i][n][2 * half + 1] * factors[i][half]);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_FRAGMENTS_CUH
