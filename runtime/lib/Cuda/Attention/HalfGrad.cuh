//===- HalfGrad.cuh - what gradients of 16-bit floats share ----*- C++ -*-===//
//
// Dao 2023 (FlashAttention-2), algorithm 2, as two kernels, so that no sum is
// shared: one whose blocks have queries and meet tiles of keys, and one whose
// blocks have keys and meet tiles of queries of all heads that read them.
// Scores are computed anew and become weights P = exp(score - lse); dP = dO V^T
// becomes dS = P (dP - mean), and
//
//   dQ = scale dS K        dK = scale dS^T Q        dV = P^T dO
//
// A weight that dropout drops is known by its sign.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_HALFGRAD_CUH
#define HOCKET_LIB_CUDA_ATTENTION_HALFGRAD_CUH

#include "runtime/lib/Cuda/Attention/Bias.cuh"

namespace hocket::runtime::cuda {

constexpr float log2e = 1.44269504088896f;

/// Of queries of a tile: what their weights come from. Of a query that is not
/// there lse and mean are 0; what comes of its weights is nothing, for its dO
/// and dP are 0.
template <int count, bool drops> struct QueryState {
  float lse[count], mean[count];
  uint64_t numbers[drops ? count : 1]; // of their weights of key 0

  /// Is there when the copies of tiles are.
  __device__ void load(const AttentionParameters &p, int64_t b, int64_t h,
                       int first) {
    static_assert(2 * count % halfThreads == 0 || 2 * count < halfThreads);
#pragma unroll
    for (int i = threadIdx.x; i < 2 * count; i += halfThreads) {
      const int at = i % count, query = first + at;
      copyWord(i < count ? &lse[at] : &mean[at],
               i < count ? &lseOf<float>(p, b, h, query)
                         : &meanOf<float>(p, b, h, query),
               query < p.queries);
      if (drops && i < count)
        numbers[at] = firstWeight(p, b, h, query);
    }
  }
};

/// Of a scaled score and its row's lse, as exponents of two. What a bias hides
/// weighs nothing, also in a row that sees nothing.
static __device__ inline float weightOf(float score, float lse) {
  if (isBiased && score == -INFINITY)
    return 0;
  return powerOfTwo(score - lse);
}

static __device__ inline float dropped(float weight) {
  return __uint_as_float(__float_as_uint(weight) | 0x80000000u);
}
static __device__ inline bool isDropped(float weight) {
  return __float_as_uint(weight) >> 31;
}

/// The gradient of a score, before `scale`, of that of its weight, which is
/// counted from the mean if nothing is dropped.
template <bool drops>
static __device__ inline float scoreGradient(const AttentionParameters &p,
                                             float weight, float gradient,
                                             float mean) {
  if (!drops)
    return weight * gradient;
  gradient = isDropped(weight) ? 0 : gradient * float(p.dropout.scale);
  return fabsf(weight) * (gradient - mean);
}

/// A warp's sums, times a factor, to rows of a head, by way of a tile.
template <int depth, int m, class T>
static __device__ inline void
storeSums(T *tile, int row, const float (&sums)[m][depth / 8][4], float factor,
          const HeadTensor &x, const BlockOfHead<int> &block, int count) {
  float factors[m][2];
#pragma unroll
  for (int i = 0; i < 2 * m; ++i)
    factors[i / 2][i % 2] = factor;
  keepRows<depth>(tile, row, sums, factors);
  __syncwarp();
  storeRows<depth, 16 * m>(tile, row, x, headOf<T>(x, block.b, block.h),
                           block.first, count);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_HALFGRAD_CUH
