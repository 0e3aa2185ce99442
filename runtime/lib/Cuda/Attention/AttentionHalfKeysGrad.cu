//===- AttentionHalfKeysGrad.cu - gradients of keys and values, 16 bits ---===//
//
// See HalfGrad.cuh; here everything is transposed, rows are keys. The sums of
// dK and dV of the same keys are too many for one warp: two make a pair. One
// computes weights and from them dV, and hands the weights to the other, which
// has computed dP meanwhile and computes dS and from it dK:
//
//   warp of values   S = K Q^T    P = exp(...)  hand P on       dV += P dO
//   warp of keys     dP = V dO^T                take P, dS      dK += dS Q
//
// Both do the same of different tiles, and each reads its rows only once for
// all columns of a step. A block has 64 keys of a head, a pair 32 of them (at a
// depth of 256: 32 and 16), and meets tiles of queries in two stages.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/HalfGrad.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"

namespace hocket::runtime::cuda {

/// Barriers of a pair, of which one warp waits.
static __device__ inline void announce(int barrier) {
  asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}
static __device__ inline void awaitOther(int barrier) {
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}

template <class T, int depth, bool drops> class KeysBlock {
  static constexpr TileShape shape = halfKeysTile(depth, drops);
  static constexpr int m = halfFragments(depth), columns = shape.columns;
  static constexpr int tileSize = columns * depth;
  static constexpr int fragments = m * columns / 8;
  using Columns = QueryState<columns, drops>;
  using Tile = Sums<m, columns>;
  using Walk = QueryWalk<isListed>;
  using Mask = TileMask<isListed, columns>;

public:
  __device__ KeysBlock(const AttentionParameters &p, char *memory)
      : p(p), block(blockOfHead<int>(p, p.kvHeads, shape.rows)),
        pair(threadIdx.x / 64), row(pair * 16 * m), key(block.first + row),
        ofValues(threadIdx.x / 32 % 2 == 0), scale(float(p.scale) * log2e) {
    keys = reinterpret_cast<T *>(memory);
    values = keys + shape.rows * depth;
    queries = values + shape.rows * depth;
    gradients = queries + 2 * tileSize;
    float4 *weights = reinterpret_cast<float4 *>(gradients + 2 * tileSize);
    handed = weights + pair * fragments * 32 + threadIdx.x % 32;
    state = reinterpret_cast<Columns *>(weights + shape.rows * columns / 4);
  }

  __device__ void run() {
    loadTile<depth, shape.rows>(keys, p.k, headOf<T>(p.k, block.b, block.h),
                                block.first, p.keys);
    loadTile<depth, shape.rows>(values, p.v, headOf<T>(p.v, block.b, block.h),
                                block.first, p.keys);
    const Walk walk(p, block.b, block.h, block.first, shape.rows, columns);
    if (walk.end > 0)
      fetch(walk, 0);
    T *mine = ofValues ? keys : values;
    T *first = ofValues ? queries : gradients;
    T *second = ofValues ? gradients : queries;
    float sums[m][depth / 8][4] = {};
    for (int n = 0; n < walk.end; ++n) {
      waitForCopies();
      __syncthreads();
      if (n + 1 < walk.end)
        fetch(walk, n + 1);
      const int stage = n % 2 * tileSize;
      Tile tile;
      begin(tile, state[n % 2]);
      if (isBiased && ofValues)
        beginScores<T, /*areKeys=*/true, columns>(
            p, block.b, walk.head(n), tile, key, walk.tile(n) * columns,
            1 / float(p.scale));
      multiplyRows<depth, columns>(tile, mine, row, first + stage);
      if (ofValues)
        weigh(tile, state[n % 2], walk.tile(n) * columns,
              walk.template mask<columns>(n, p.keys));
      else
        scoreGradients(tile, state[n % 2]);
      multiplyWeights<depth, columns>(sums, tile, second + stage);
    }
    waitForCopies();
    __syncthreads();
    if (ofValues)
      storeSums<depth>(mine, row, sums, drops ? float(p.dropout.scale) : 1,
                       p.dv, block, p.keys);
    else
      storeSums<depth>(mine, row, sums, float(p.scale), p.dk, block, p.keys);
  }

private:
  /// The n-th tiles, and what belongs to their columns.
  __device__ void fetch(const Walk &walk, int n) {
    const int64_t head = walk.head(n);
    const int first = walk.tile(n) * columns;
    loadTile<depth, columns>(queries + n % 2 * tileSize, p.q,
                             headOf<T>(p.q, block.b, head), first, p.queries);
    loadTile<depth, columns>(gradients + n % 2 * tileSize, p.dout,
                             headOf<T>(p.dout, block.b, head), first,
                             p.queries);
    state[n % 2].load(p, block.b, head, first);
  }

  /// Scores are counted from 0, and gradients of weights from their mean unless
  /// they change before it is taken away.
  __device__ void begin(Tile &tile, const Columns &columnState) const {
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float from = 0;
        if (!drops && !ofValues)
          from = -columnState.mean[8 * n + columnOfLane(e)];
#pragma unroll
        for (int i = 0; i < m; ++i)
          tile[i][n][e] = tile[i][n][e + 2] = from;
      }
  }

  /// Scores of queries from `first` on become weights, of which the other warp
  /// gets all and this one keeps what is not dropped.
  __device__ void weigh(Tile &scores, const Columns &columnState, int first,
                        const Mask &layout) {
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float lse = columnState.lse[8 * n + columnOfLane(e)] * log2e;
#pragma unroll
        for (int i = 0; i < m; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            float &score = scores[i][n][2 * half + e];
            score = weightOf(score * scale, lse);
          }
      }
    if (p.keep || layout.hides() ||
        !seeAll(p, {first, first + columns}, {key, key + 16 * m}))
      mask(scores, first, layout);
    if constexpr (drops)
      drop(scores, columnState);
#pragma unroll
    for (int i = 0; i < m; ++i)
#pragma unroll
      for (int n = 0; n < columns / 8; ++n) {
        float (&one)[4] = scores[i][n];
        handed[(i * (columns / 8) + n) * 32] =
            make_float4(one[0], one[1], one[2], one[3]);
        if (drops)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            one[e] = isDropped(one[e]) ? 0 : one[e];
      }
    announce(1 + pair);
  }

  __device__ void mask(Tile &weights, int first, const Mask &layout) const {
#pragma unroll
    for (int i = 0; i < 2 * m; ++i) {
      const int at = key + 8 * i + rowOfLane(0);
      Range seen = queriesOf(p, at);
      if (at >= p.keys || !isKept(p, block.b, at))
        seen.end = 0;
      const auto ofRow = layout.row(at);
#pragma unroll
      for (int n = 0; n < columns / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int local = 8 * n + columnOfLane(e), query = first + local;
          if (query < seen.begin || query >= seen.end || !ofRow.sees(local))
            weights[i / 2][n][i % 2 * 2 + e] = 0;
        }
    }
  }

  __device__ void drop(Tile &weights, const Columns &columnState) const {
    const Dropper dropper(p.dropout);
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        uint64_t number = columnState.numbers[8 * n + columnOfLane(e)];
#pragma unroll
        for (int i = 0; i < 2 * m; ++i) {
          float &weight = weights[i / 2][n][i % 2 * 2 + e];
          if (!dropper.keeps(number + (key + 8 * i + rowOfLane(0))))
            weight = dropped(weight);
        }
      }
  }

  /// Gradients of weights become those of scores.
  __device__ void scoreGradients(Tile &gradients, const Columns &columnState) {
    awaitOther(1 + pair);
#pragma unroll
    for (int n = 0; n < columns / 8; ++n) {
      float mean[2] = {};
      if (drops)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          mean[e] = columnState.mean[8 * n + columnOfLane(e)];
#pragma unroll
      for (int i = 0; i < m; ++i) {
        float4 four = handed[(i * (columns / 8) + n) * 32];
        const float weights[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int e = 0; e < 4; ++e)
          gradients[i][n][e] = scoreGradient<drops>(
              p, weights[e], gradients[i][n][e], mean[e % 2]);
      }
    }
  }

  const AttentionParameters &p;
  const BlockOfHead<int> block;
  const int pair, row, key; // the first ones of the pair
  const bool ofValues;
  const float scale;
  T *keys, *values, *queries, *gradients;
  float4 *handed; // of the lane: four weights, those of others between
  Columns *state;
};

template <class T, int depth, bool drops>
static __device__ void differentiate(const AttentionParameters &p) {
  extern __shared__ __align__(128) char memory[];
  KeysBlock<T, depth, drops>(p, memory).run();
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, drops)                                   \
  extern "C" __global__ void __launch_bounds__(halfThreads, 2)                 \
      HOCKET_ENTRY(name)(const __grid_constant__ AttentionParameters p) {      \
    differentiate<T, depth, drops>(p);                                         \
  }
#define HOCKET_KERNELS(type, T, depth)                                         \
  HOCKET_KERNEL(gradientOfKeysAndValues##type##D##depth, T, depth, false)      \
  HOCKET_KERNEL(gradientOfKeysAndValues##type##D##depth##Drop, T, depth, true)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(type, T, 32)                                                  \
  HOCKET_KERNELS(type, T, 64)                                                  \
  HOCKET_KERNELS(type, T, 128)                                                 \
  HOCKET_KERNELS(type, T, 256)

HOCKET_TYPE(F16, __half)
HOCKET_TYPE(BF16, __nv_bfloat16)
