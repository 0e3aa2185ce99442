//===- AttentionHalf.cu - attention of 16-bit floats, forward -------------===//
//
// Dao 2023 (FlashAttention-2): a block has 128 queries of a head, a warp 32 of
// them (at a depth of 256: 64 and 16). Tiles of keys and values come one after
// the other, in one or two stages; scores become exponentials against the
// running maximum of their row, and the output shrinks as that rises.
// Exponentials are powers of two, and the scale of scores is part of their
// exponents.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/Bias.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"

namespace hocket::runtime::cuda {

constexpr float log2e = 1.44269504088896f, ln2 = 0.693147180559945f;

/// What a thread knows of its rows, two of each fragment.
template <int m> struct RowState {
  float largest[m][2], total[m][2]; // score, before scale
  uint64_t weights[m][2];           // numbers of their first weights
};

/// Scores that are not seen become -infinity. `first` is the query of the first
/// row of the warp, `column` the key of the first column.
template <int columns, int m, class Mask>
static __device__ inline void
maskScores(const AttentionParameters &p, int64_t b,
           float (&scores)[m][columns / 8][4], int first, int column,
           const Mask &mask) {
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first + 16 * i + rowOfLane(2 * half);
      Range seen = keysOf(p, row);
      const auto layout = mask.row(row);
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int local = 8 * n + columnOfLane(e), key = column + local;
          if (key < seen.begin || key >= seen.end || !layout.sees(local))
            scores[i][n][2 * half + e] = -INFINITY;
        }
    }
  if (!p.keep)
    return;
#pragma unroll
  for (int n = 0; n < columns / 8; ++n)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      int key = column + 8 * n + columnOfLane(e);
      if (key >= p.keys || !isKept(p, b, key))
#pragma unroll
        for (int i = 0; i < m; ++i)
          scores[i][n][e] = scores[i][n][e + 2] = -INFINITY;
    }
}

static __device__ inline float largestOfRow(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}
static __device__ inline float sumOfRow(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

/// Scores become weights, undivided; sums shrink.
template <int depth, int columns, int m>
static __device__ inline void exponentiate(float (&scores)[m][columns / 8][4],
                                           float (&sums)[m][depth / 8][4],
                                           RowState<m> &rows, float scale) {
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float next = rows.largest[i][half];
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
        next = fmaxf(next,
                     fmaxf(scores[i][n][2 * half], scores[i][n][2 * half + 1]));
      next = largestOfRow(next);
      // A row that has seen nothing yet counts from 0.
      float base = next == -INFINITY ? 0 : next * scale;
      float shrink = powerOfTwo(rows.largest[i][half] * scale - base);
      rows.largest[i][half] = next;
      rows.total[i][half] *= shrink;
#pragma unroll
      for (int n = 0; n < depth / 8; ++n)
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e)
          sums[i][n][e] *= shrink;
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          scores[i][n][e] = powerOfTwo(scores[i][n][e] * scale - base);
          rows.total[i][half] += scores[i][n][e];
        }
    }
}

template <int columns, int m>
static __device__ inline void dropWeights(const Dropper &dropper,
                                          float (&weights)[m][columns / 8][4],
                                          const RowState<m> &rows, int column) {
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        bool keeps[2];
        dropper.keepsPair(
            rows.weights[i][half] + column + n * 8 + columnOfLane(0), keeps);
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (!keeps[e])
            weights[i][n][2 * half + e] = 0;
      }
}

/// The elements of a tile times -1, once they are there.
template <class T> static __device__ inline void negate(T *tile, int elements) {
  waitForCopies();
  __syncthreads();
  for (int i = threadIdx.x; i < elements / 2; i += halfThreads)
    reinterpret_cast<uint32_t *>(tile)[i] ^= 0x80008000u;
}

template <class T, int depth, bool drops>
static __device__ void attend(const AttentionParameters &p) {
  constexpr TileShape shape = halfTile(depth, drops, isListed);
  constexpr int columns = shape.columns, tileSize = columns * depth;
  constexpr int m = halfFragments(depth);
  constexpr int stages = halfStages(depth, drops, isListed);
  extern __shared__ __align__(128) char memory[];
  T *queries = reinterpret_cast<T *>(memory);
  T *keys = queries + shape.rows * depth;
  T *values = keys + stages * tileSize;
  const BlockOfHead<int> block = blockOfHead<int>(p, p.heads, shape.rows);
  const int row = threadIdx.x / 32 * 16 * m, query = block.first + row;
  const int64_t kvHead = kvHeadOf(p, block.h);
  const T *key = headOf<T>(p.k, block.b, kvHead);
  const T *value = headOf<T>(p.v, block.b, kvHead);

  const KeyWalk<isListed> walk(p, block.b, block.h, block.first, shape.rows,
                               columns);
  const int begin = walk.begin, end = walk.end;
  auto fetchKeys = [&](int n) {
    loadTile<depth, columns>(keys + n % stages * tileSize, p.k, key,
                             walk.tile(n) * columns, p.keys);
  };
  auto fetchValues = [&](int n) {
    loadTile<depth, columns>(values + n % stages * tileSize, p.v, value,
                             walk.tile(n) * columns, p.keys);
  };
  loadTile<depth, shape.rows>(queries, p.q, headOf<T>(p.q, block.b, block.h),
                              block.first, p.queries);
  if (begin < end) {
    fetchKeys(begin);
    if (stages > 1)
      fetchValues(begin);
  }
  // The largest scaled score is the scaled largest score if the scale is
  // positive. Of 0 the least number has the effect, except -infinity.
  if (p.scale < 0)
    negate(queries, shape.rows * depth);
  const float scale = fmaxf(fabsf(float(p.scale)) * log2e, 1.2e-38f);

  RowState<m> rows;
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows.largest[i][half] = -INFINITY;
      rows.total[i][half] = 0;
      if (drops)
        rows.weights[i][half] = firstWeight(
            p, block.b, block.h, query + 16 * i + rowOfLane(2 * half));
    }
  float sums[m][depth / 8][4] = {};
  for (int n = begin; n < end; ++n) {
    waitForCopies();
    __syncthreads();
    if (stages == 1) {
      fetchValues(n);
    } else if (n + 1 < end) {
      fetchKeys(n + 1);
      fetchValues(n + 1);
    }
    int column = walk.tile(n) * columns;
    float scores[m][columns / 8][4] = {};
    if (isBiased)
      beginScores<T, /*areKeys=*/false, columns>(p, block.b, block.h, scores,
                                                 query, column,
                                                 1 / fabsf(float(p.scale)));
    multiplyRows<depth, columns>(scores, queries, row,
                                 keys + n % stages * tileSize);
    if (stages == 1) {
      waitForCopies();
      __syncthreads();
      if (n + 1 < end)
        fetchKeys(n + 1);
    }
    const auto mask = walk.template mask<columns>(n, p.queries);
    if (p.keep || mask.hides() || column + columns > p.keys ||
        !seeAll(p, {query, query + 16 * m}, {column, column + columns}))
      maskScores<columns>(p, block.b, scores, query, column, mask);
    exponentiate<depth, columns>(scores, sums, rows, scale);
    if (drops)
      dropWeights<columns>(Dropper(p.dropout), scores, rows, column);
    multiplyWeights<depth, columns>(sums, scores,
                                    values + n % stages * tileSize);
  }
  waitForCopies();
  __syncthreads();

  float factors[m][2];
#pragma unroll
  for (int i = 0; i < m; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float total = sumOfRow(rows.total[i][half]);
      factors[i][half] =
          total > 0 ? (drops ? float(p.dropout.scale) : 1) / total : 0;
      int at = query + 16 * i + rowOfLane(2 * half);
      if (p.lse && threadIdx.x % 4 == 0 && at < p.queries)
        lseOf<float>(p, block.b, block.h, at) =
            total > 0 ? rows.largest[i][half] * scale * ln2 + logf(total)
                      : -INFINITY;
    }
  keepRows<depth>(queries, row, sums, factors);
  __syncwarp();
  storeRows<depth, 16 * m>(queries, row, p.out,
                           headOf<T>(p.out, block.b, block.h), block.first,
                           p.queries);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, drops)                                   \
  extern "C" __global__ void __launch_bounds__(halfThreads, 2)                 \
      HOCKET_ENTRY(name)(const __grid_constant__ AttentionParameters p) {      \
    attend<T, depth, drops>(p);                                                \
  }
#define HOCKET_KERNELS(type, T, depth)                                         \
  HOCKET_KERNEL(attention##type##D##depth, T, depth, false)                    \
  HOCKET_KERNEL(attention##type##D##depth##Drop, T, depth, true)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(type, T, 32)                                                  \
  HOCKET_KERNELS(type, T, 64)                                                  \
  HOCKET_KERNELS(type, T, 128)                                                 \
  HOCKET_KERNELS(type, T, 256)

HOCKET_TYPE(F16, __half)
HOCKET_TYPE(BF16, __nv_bfloat16)
