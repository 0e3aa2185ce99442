//===- AttentionHalfGrad.cu - gradient of queries of 16-bit floats --------===//
//
// See HalfGrad.cuh. A block has 128 queries of a head, a warp 32 of them (at a
// depth of 256: 64 and 16), and meets tiles of keys and values in two stages.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/HalfGrad.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"

namespace hocket::runtime::cuda {

template <class T, int depth, bool drops> class QueriesBlock {
  static constexpr TileShape shape = halfQueriesTile(depth);
  static constexpr int m = halfFragments(depth), columns = shape.columns;
  static constexpr int tileSize = columns * depth;
  using Tile = Sums<m, columns>;
  using Mask = TileMask<isListed, columns>;

public:
  __device__ QueriesBlock(const AttentionParameters &p, char *memory)
      : p(p), block(blockOfHead<int>(p, p.heads, shape.rows)),
        row(threadIdx.x / 32 * 16 * m), query(block.first + row),
        kvHead(int(kvHeadOf(p, block.h))), scale(float(p.scale) * log2e) {
    queries = reinterpret_cast<T *>(memory);
    gradients = queries + shape.rows * depth;
    keys = gradients + shape.rows * depth;
    values = keys + 2 * tileSize;
    rows = reinterpret_cast<QueryState<shape.rows, drops> *>(values +
                                                             2 * tileSize);
  }

  __device__ void run() {
    loadTile<depth, shape.rows>(queries, p.q, headOf<T>(p.q, block.b, block.h),
                                block.first, p.queries);
    loadTile<depth, shape.rows>(gradients, p.dout,
                                headOf<T>(p.dout, block.b, block.h),
                                block.first, p.queries);
    rows->load(p, block.b, block.h, block.first);
    const KeyWalk<isListed> walk(p, block.b, block.h, block.first, shape.rows,
                                 columns);
    const int begin = walk.begin, end = walk.end;
    if (begin < end)
      fetch(walk, begin);
    float sums[m][depth / 8][4] = {};
    for (int n = begin; n < end; ++n) {
      waitForCopies();
      __syncthreads();
      if (n + 1 < end)
        fetch(walk, n + 1);
      const T *ofKeys = keys + n % 2 * tileSize;
      Tile weights = {}, scores;
      if (isBiased)
        beginScores<T, /*areKeys=*/false, columns>(
            p, block.b, block.h, weights, query, walk.tile(n) * columns,
            1 / float(p.scale));
      multiplyRows<depth, columns>(weights, queries, row, ofKeys);
      weigh(weights, walk.tile(n) * columns,
            walk.template mask<columns>(n, p.queries));
      beginGradients(scores);
      multiplyRows<depth, columns>(scores, gradients, row,
                                   values + n % 2 * tileSize);
      differentiate(scores, weights);
      multiplyWeights<depth, columns>(sums, scores, ofKeys);
    }
    waitForCopies();
    __syncthreads();
    storeSums<depth>(queries, row, sums, float(p.scale), p.dq, block,
                     p.queries);
  }

private:
  __device__ void fetch(const KeyWalk<isListed> &walk, int n) {
    loadTile<depth, columns>(keys + n % 2 * tileSize, p.k,
                             headOf<T>(p.k, block.b, kvHead),
                             walk.tile(n) * columns, p.keys);
    loadTile<depth, columns>(values + n % 2 * tileSize, p.v,
                             headOf<T>(p.v, block.b, kvHead),
                             walk.tile(n) * columns, p.keys);
  }

  /// Gradients of weights are counted from their mean, unless they change
  /// before it is taken away.
  __device__ void beginGradients(Tile &gradients) const {
#pragma unroll
    for (int i = 0; i < 2 * m; ++i) {
      const float from = drops ? 0 : -rows->mean[row + 8 * i + rowOfLane(0)];
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          gradients[i / 2][n][i % 2 * 2 + e] = from;
    }
  }

  /// Scores of keys from `column` on become weights.
  __device__ void weigh(Tile &scores, int column, const Mask &layout) const {
#pragma unroll
    for (int i = 0; i < 2 * m; ++i) {
      const float lse = rows->lse[row + 8 * i + rowOfLane(0)] * log2e;
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float &score = scores[i / 2][n][i % 2 * 2 + e];
          score = weightOf(score * scale, lse);
        }
    }
    if (p.keep || layout.hides() || column + columns > p.keys ||
        !seeAll(p, {query, query + 16 * m}, {column, column + columns}))
      mask(scores, column, layout);
    if constexpr (drops)
      drop(scores, column);
  }

  __device__ void mask(Tile &weights, int column, const Mask &layout) const {
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int local = 8 * n + columnOfLane(e), key = column + local;
        bool isThere = key < p.keys && isKept(p, block.b, key);
#pragma unroll
        for (int i = 0; i < 2 * m; ++i) {
          const int at = query + 8 * i + rowOfLane(0);
          Range seen = keysOf(p, at);
          if (!isThere || key < seen.begin || key >= seen.end ||
              !layout.row(at).sees(local))
            weights[i / 2][n][i % 2 * 2 + e] = 0;
        }
      }
  }

  __device__ void drop(Tile &weights, int column) const {
    const Dropper dropper(p.dropout);
#pragma unroll
    for (int i = 0; i < 2 * m; ++i) {
      const uint64_t number =
          rows->numbers[row + 8 * i + rowOfLane(0)] + column;
#pragma unroll
      for (int n = 0; n < columns / 8; ++n) {
        bool keeps[2];
        dropper.keepsPair(number + 8 * n + columnOfLane(0), keeps);
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float &weight = weights[i / 2][n][i % 2 * 2 + e];
          if (!keeps[e])
            weight = dropped(weight);
        }
      }
    }
  }

  /// Gradients of weights become those of scores.
  __device__ void differentiate(Tile &gradients, const Tile &weights) const {
#pragma unroll
    for (int i = 0; i < 2 * m; ++i) {
      const float mean = drops ? rows->mean[row + 8 * i + rowOfLane(0)] : 0;
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
#pragma unroll
        for (int e = i % 2 * 2; e < i % 2 * 2 + 2; ++e)
          gradients[i / 2][n][e] = scoreGradient<drops>(
              p, weights[i / 2][n][e], gradients[i / 2][n][e], mean);
    }
  }

  const AttentionParameters &p;
  const BlockOfHead<int> block;
  const int row, query; // the first ones of the warp
  const int kvHead;
  const float scale;
  T *queries, *gradients, *keys, *values;
  QueryState<shape.rows, drops> *rows;
};

template <class T, int depth, bool drops>
static __device__ void differentiate(const AttentionParameters &p) {
  extern __shared__ __align__(128) char memory[];
  QueriesBlock<T, depth, drops>(p, memory).run();
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, drops)                                   \
  extern "C" __global__ void __launch_bounds__(halfThreads, 2)                 \
      HOCKET_ENTRY(name)(const __grid_constant__ AttentionParameters p) {      \
    differentiate<T, depth, drops>(p);                                         \
  }
#define HOCKET_KERNELS(type, T, depth)                                         \
  HOCKET_KERNEL(gradientOfQueries##type##D##depth, T, depth, false)            \
  HOCKET_KERNEL(gradientOfQueries##type##D##depth##Drop, T, depth, true)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(type, T, 32)                                                  \
  HOCKET_KERNELS(type, T, 64)                                                  \
  HOCKET_KERNELS(type, T, 128)                                                 \
  HOCKET_KERNELS(type, T, 256)

HOCKET_TYPE(F16, __half)
HOCKET_TYPE(BF16, __nv_bfloat16)
