//===- AttentionHalf.cu - attention of 16-bit floats, forward -------------===//
//
// Dao 2023 (FlashAttention-2): a block has 64 queries of a head, a warp 16 of
// them. Tiles of keys and values come one after the other in two stages; scores
// become exponentials against the running maximum of their row, and the output
// shrinks as that rises. Exponentials are powers of two.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/Fragments.cuh"
#include "runtime/lib/Cuda/Attention/Heads.cuh"

namespace hocket::runtime::cuda {

constexpr float log2e = 1.44269504088896f, ln2 = 0.693147180559945f;

/// What a thread knows of its two rows.
struct RowState {
  Range seen[2];
  uint64_t weights[2]; // numbers of their first weights
  float largest[2] = {-INFINITY, -INFINITY}, total[2] = {0, 0};
};

/// Scores of keys from `column` on become what they are with scale and masks.
template <int columns>
static __device__ void maskScores(const AttentionParameters &p, int64_t b,
                                  float (&scores)[columns / 8][4],
                                  const RowState &rows, int column,
                                  bool isWhole) {
  float scale = float(p.scale) * log2e;
#pragma unroll
  for (int n = 0; n < columns / 8; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      scores[n][e] *= scale;
  if (isWhole)
    return;
#pragma unroll
  for (int n = 0; n < columns / 8; ++n)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      int key = column + n * 8 + threadIdx.x % 4 * 2 + e;
      bool isThere = key < p.keys && isKept(p, b, key);
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (!isThere || key < rows.seen[half].begin ||
            key >= rows.seen[half].end)
          scores[n][2 * half + e] = -INFINITY;
    }
}

static __device__ float largestOfRow(float value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}
static __device__ float sumOfRow(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

/// Scores become weights, undivided; sums shrink.
template <int depth, int columns>
static __device__ void exponentiate(float (&scores)[columns / 8][4],
                                    float (&sums)[depth / 8][4],
                                    RowState &rows) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float next = rows.largest[half];
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
      next = fmaxf(next, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
    next = largestOfRow(next);
    // A row that has seen nothing yet counts from 0.
    float base = next == -INFINITY ? 0 : next;
    float shrink = powerOfTwo(rows.largest[half] - base);
    rows.largest[half] = next;
    rows.total[half] *= shrink;
#pragma unroll
    for (int n = 0; n < depth / 8; ++n)
      for (int e = 2 * half; e < 2 * half + 2; ++e)
        sums[n][e] *= shrink;
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
      for (int e = 2 * half; e < 2 * half + 2; ++e) {
        scores[n][e] = powerOfTwo(scores[n][e] - base);
        rows.total[half] += scores[n][e];
      }
  }
}

template <int columns>
static __device__ void dropWeights(const Dropper &dropper,
                                   float (&weights)[columns / 8][4],
                                   const RowState &rows, int column) {
#pragma unroll
  for (int n = 0; n < columns / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      bool keeps[2];
      dropper.keepsPair(
          rows.weights[half] + column + n * 8 + threadIdx.x % 4 * 2, keeps);
      for (int e = 0; e < 2; ++e)
        if (!keeps[e])
          weights[n][2 * half + e] = 0;
    }
}

template <class T, int depth, bool drops>
static __device__ void attend(const AttentionParameters &p) {
  constexpr TileShape shape = halfTile(depth);
  constexpr int columns = shape.columns, tileSize = columns * depth;
  extern __shared__ __align__(128) char memory[];
  T *queries = reinterpret_cast<T *>(memory);
  T *keys = queries + shape.rows * depth, *values = keys + 2 * tileSize;
  const BlockOfHead block = blockOfHead(p, p.heads, shape.rows);
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16;
  const int64_t kvHead = kvHeadOf(p, block.h);
  const T *key = headOf<T>(p.k, block.b, kvHead);
  const T *value = headOf<T>(p.v, block.b, kvHead);

  int last = min(block.first + shape.rows, p.queries) - 1;
  const int begin = keysOf(p, block.first).begin / columns;
  const int end = (keysOf(p, last).end + columns - 1) / columns;
  auto fetch = [&](int tile) {
    loadTile<depth, columns>(keys + tile % 2 * tileSize, p.k, key,
                             tile * columns, p.keys);
    loadTile<depth, columns>(values + tile % 2 * tileSize, p.v, value,
                             tile * columns, p.keys);
  };
  loadTile<depth, shape.rows>(queries, p.q, headOf<T>(p.q, block.b, block.h),
                              block.first, p.queries);
  if (begin < end)
    fetch(begin);

  RowState rows;
  for (int half = 0; half < 2; ++half) {
    int query = block.first + row + lane / 4 + half * 8;
    rows.seen[half] = keysOf(p, query);
    if (drops)
      rows.weights[half] = firstWeight(p, block.b, block.h, query);
  }
  // What all rows of the warp see.
  const int wholeBegin = keysOf(p, block.first + row + 15).begin;
  const int wholeEnd = keysOf(p, block.first + row).end;
  float sums[depth / 8][4] = {};
  for (int tile = begin; tile < end; ++tile) {
    waitForCopies();
    __syncthreads();
    if (tile + 1 < end)
      fetch(tile + 1);
    int column = tile * columns;
    float scores[columns / 8][4] = {};
    multiplyRows<depth, columns>(scores, queries, row,
                                 keys + tile % 2 * tileSize);
    maskScores<columns>(p, block.b, scores, rows, column,
                        !p.keep && column >= wholeBegin &&
                            column + columns <= wholeEnd);
    exponentiate<depth, columns>(scores, sums, rows);
    if (drops)
      dropWeights<columns>(Dropper(p.dropout), scores, rows, column);
    multiplyWeights<depth, columns>(sums, scores, values + tile % 2 * tileSize);
  }
  waitForCopies();
  __syncthreads();

  float factors[2];
  for (int half = 0; half < 2; ++half) {
    float total = sumOfRow(rows.total[half]);
    factors[half] =
        total > 0 ? (drops ? float(p.dropout.scale) : 1) / total : 0;
    int query = block.first + row + lane / 4 + half * 8;
    if (p.lse && lane % 4 == 0 && query < p.queries)
      lseOf<float>(p, block.b, block.h, query) =
          total > 0 ? rows.largest[half] * ln2 + logf(total) : -INFINITY;
  }
  keepRows<depth>(queries, row, sums, factors);
  __syncwarp();
  storeRows<depth>(queries, row, p.out, headOf<T>(p.out, block.b, block.h),
                   block.first, p.queries);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, drops)                                   \
  extern "C" __global__ void __launch_bounds__(halfThreads)                    \
      name(const __grid_constant__ AttentionParameters p) {                    \
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
