//===- AttentionHalfGrad.cu - gradients of attention of 16-bit floats -----===//
//
// Dao 2023 (FlashAttention-2), algorithm 2, as two kernels, so that no sum is
// shared: one whose blocks have 64 queries and meet tiles of keys, and one
// whose blocks have 64 keys and meet tiles of queries of all heads that read
// them. Scores are computed anew and become weights P = exp(score - lse); dP =
// dO V^T becomes dS = P (dP - mean), and
//
//   dQ = scale dS K        dK = scale dS^T Q        dV = P^T dO
//
// The second kernel computes everything transposed: its rows are keys. At a
// depth of 256 the sums of dK and dV do not fit the registers together; each
// has a launch.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/Fragments.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"

namespace hocket::runtime::cuda {

constexpr float log2e = 1.44269504088896f;

/// Of two rows of a thread: what they see and, if they are queries, what their
/// weights come from.
struct RowState {
  Range seen[2];
  float lse[2], mean[2]; // lse times log2(e)
  uint64_t weights[2];   // numbers of their first weights
};

/// The same of the columns of a stage that are queries.
template <int columns> struct ColumnState {
  float lse[columns], mean[columns];
  uint64_t weights[columns];
};

/// Weights of queries that are not there, or see nothing, are 0.
static __device__ float lseOfQuery(const AttentionParameters &p, int64_t b,
                                   int64_t h, int query) {
  if (query >= p.queries)
    return INFINITY;
  float lse = lseOf<float>(p, b, h, query);
  return lse == -INFINITY ? INFINITY : lse * log2e;
}

/// What a launch computes of a block's rows.
template <class T, int depth, GradientOf of, bool drops> class Block {
  static constexpr bool ofQueries = of == GradientOf::Queries;
  static constexpr bool hasFirst = of != GradientOf::Values; // dQ, dK
  static constexpr bool hasSecond =                          // dV
      of == GradientOf::Values || of == GradientOf::KeysAndValues;
  static constexpr TileShape shape = halfGradTile(depth, drops);
  static constexpr int columns = shape.columns, tileSize = columns * depth;
  using Columns = ColumnState<columns>;
  using Tile = float[columns / 8][4];

public:
  __device__ Block(const AttentionParameters &p, char *memory)
      : p(p), at(blockOfHead(p, ofQueries ? p.heads : p.kvHeads, shape.rows)),
        row(threadIdx.x / 32 * 16), lane(threadIdx.x % 32) {
    left[0] = reinterpret_cast<T *>(memory);
    left[1] = left[0] + shape.rows * depth;
    right[0] = left[1] + shape.rows * depth;
    right[1] = right[0] + 2 * tileSize;
    state = reinterpret_cast<Columns *>(right[1] + 2 * tileSize);
  }

  __device__ void run() {
    const HeadTensor &one = ofQueries ? p.q : p.k,
                     &two = ofQueries ? p.dout : p.v;
    const int count = ofQueries ? p.queries : p.keys;
    loadTile<depth, shape.rows>(left[0], one, headOf<T>(one, at.b, at.h),
                                at.first, count);
    loadTile<depth, shape.rows>(left[1], two, headOf<T>(two, at.b, at.h),
                                at.first, count);
    int last = min(at.first + shape.rows, count) - 1;
    walk = ofQueries ? walkOfQueries(p, at.h, at.first, last, columns)
                     : walkOfKeys(p, at.h, at.first, last, columns);
    loadState();
    if (walk.count > 0)
      fetch(0);
    float first[hasFirst ? depth / 8 : 1][4] = {};
    float second[hasSecond ? depth / 8 : 1][4] = {};
    for (int n = 0; n < walk.count; ++n) {
      waitForCopies();
      __syncthreads();
      if (n + 1 < walk.count)
        fetch(n + 1);
      const T *one = right[0] + n % 2 * tileSize;
      const T *two = right[1] + n % 2 * tileSize;
      Tile weights = {}, gradients = {};
      multiplyRows<depth, columns>(weights, left[0], row, one);
      weigh(weights, n);
      uint32_t kept = drops ? keptOf(n) : 0;
      if constexpr (hasFirst) {
        multiplyRows<depth, columns>(gradients, left[1], row, two);
        scoreGradients(gradients, weights, n, kept);
        multiplyWeights<depth, columns>(first, gradients, one);
      }
      if constexpr (hasSecond) {
        if constexpr (drops)
          drop(weights, kept);
        multiplyWeights<depth, columns>(second, weights, two);
      }
    }
    waitForCopies();
    __syncthreads();
    if constexpr (hasFirst)
      store(left[0], first, ofQueries ? p.dq : p.dk, float(p.scale), count);
    if constexpr (hasSecond)
      store(left[1], second, p.dv, drops ? float(p.dropout.scale) : 1, count);
  }

private:
  __device__ void loadState() {
    for (int half = 0; half < 2; ++half) {
      int index = at.first + row + lane / 4 + half * 8;
      if constexpr (ofQueries) {
        rows.seen[half] = keysOf(p, index);
        rows.lse[half] = lseOfQuery(p, at.b, at.h, index);
        rows.mean[half] =
            index < p.queries ? meanOf<float>(p, at.b, at.h, index) : 0;
        if (drops)
          rows.weights[half] = firstWeight(p, at.b, at.h, index);
      } else {
        rows.seen[half] = queriesOf(p, index);
        if (index >= p.keys || !isKept(p, at.b, index))
          rows.seen[half] = {0, 0};
      }
    }
  }

  /// The n-th tiles, and what belongs to their columns.
  __device__ void fetch(int n) {
    const HeadTensor &one = ofQueries ? p.k : p.q,
                     &two = ofQueries ? p.v : p.dout;
    const int count = ofQueries ? p.keys : p.queries;
    int64_t head = ofQueries ? kvHeadOf(p, at.h) : walk.head(n);
    int first = walk.tile(n) * columns;
    loadTile<depth, columns>(right[0] + n % 2 * tileSize, one,
                             headOf<T>(one, at.b, head), first, count);
    loadTile<depth, columns>(right[1] + n % 2 * tileSize, two,
                             headOf<T>(two, at.b, head), first, count);
    if (ofQueries || threadIdx.x >= columns)
      return;
    Columns &stage = state[n % 2];
    int query = first + threadIdx.x;
    stage.lse[threadIdx.x] = lseOfQuery(p, at.b, head, query);
    stage.mean[threadIdx.x] =
        query < p.queries ? meanOf<float>(p, at.b, head, query) : 0;
    if (drops)
      stage.weights[threadIdx.x] = firstWeight(p, at.b, head, query);
  }

  __device__ int columnOf(int n, int e) const {
    return n * 8 + lane % 4 * 2 + e;
  }

  /// Whether all rows of the warp see all columns.
  __device__ bool isWhole(int first) const {
    int begin = at.first + row, end = begin + 16;
    if (p.keep)
      return false;
    if constexpr (ofQueries)
      return first >= keysOf(p, end - 1).begin &&
             first + columns <= keysOf(p, begin).end;
    return end <= keysOf(p, first).end &&
           begin >= keysOf(p, first + columns - 1).begin;
  }

  /// Scores become weights, divided.
  __device__ void weigh(Tile &scores, int step) const {
    const float scale = float(p.scale) * log2e;
    const int first = walk.tile(step) * columns;
    const bool whole = isWhole(first);
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        int column = columnOf(n, e);
        bool isThere = true;
        if (ofQueries && !whole)
          isThere = first + column < p.keys && isKept(p, at.b, first + column);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float lse = ofQueries ? rows.lse[half] : state[step % 2].lse[column];
          float &score = scores[n][2 * half + e];
          bool isSeen =
              whole || (isThere && first + column >= rows.seen[half].begin &&
                        first + column < rows.seen[half].end);
          score = isSeen ? powerOfTwo(score * scale - lse) : 0;
        }
      }
  }

  /// A bit for each weight of the thread that dropout keeps.
  __device__ uint32_t keptOf(int step) const {
    const Dropper dropper(p.dropout);
    const int first = walk.tile(step) * columns;
    uint32_t kept = 0;
#pragma unroll
    for (int n = 0; n < columns / 8; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        bool keeps[2];
        int key = at.first + row + lane / 4 + half * 8;
        if constexpr (ofQueries)
          dropper.keepsPair(rows.weights[half] + first + columnOf(n, 0), keeps);
        else
          for (int e = 0; e < 2; ++e)
            keeps[e] =
                dropper.keeps(state[step % 2].weights[columnOf(n, e)] + key);
        for (int e = 0; e < 2; ++e)
          kept |= uint32_t(keeps[e]) << (n * 4 + 2 * half + e);
      }
    return kept;
  }
  static __device__ void drop(Tile &weights, uint32_t kept) {
#pragma unroll
    for (int i = 0; i < columns / 2; ++i)
      if (!(kept >> i & 1))
        weights[i / 4][i % 4] = 0;
  }

  /// Gradients of weights become those of scores, before `scale`.
  __device__ void scoreGradients(Tile &gradients, const Tile &weights, int step,
                                 uint32_t kept) const {
#pragma unroll
    for (int i = 0; i < columns / 2; ++i) {
      int half = i % 4 / 2;
      float mean = ofQueries ? rows.mean[half]
                             : state[step % 2].mean[columnOf(i / 4, i % 2)];
      float &gradient = gradients[i / 4][i % 4];
      if (drops)
        gradient = kept >> i & 1 ? gradient * float(p.dropout.scale) : 0;
      gradient = weights[i / 4][i % 4] * (gradient - mean);
    }
  }

  __device__ void store(T *tile, const float (&sums)[depth / 8][4],
                        const HeadTensor &x, float factor, int count) const {
    const float factors[2] = {factor, factor};
    keepRows<depth>(tile, row, sums, factors);
    __syncwarp();
    storeRows<depth>(tile, row, x, headOf<T>(x, at.b, at.h), at.first, count);
  }

  const AttentionParameters &p;
  const BlockOfHead at;
  const int row, lane;
  T *left[2], *right[2];
  Columns *state;
  Walk walk;
  RowState rows;
};

template <class T, int depth, GradientOf of, bool drops>
static __device__ void differentiate(const AttentionParameters &p) {
  extern __shared__ __align__(128) char memory[];
  Block<T, depth, of, drops>(p, memory).run();
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, of, drops)                               \
  extern "C" __global__ void __launch_bounds__(halfThreads, 2)                 \
      name(const __grid_constant__ AttentionParameters p) {                    \
    differentiate<T, depth, GradientOf::of, drops>(p);                         \
  }
#define HOCKET_KERNELS(of, type, T, depth)                                     \
  HOCKET_KERNEL(gradientOf##of##type##D##depth, T, depth, of, false)           \
  HOCKET_KERNEL(gradientOf##of##type##D##depth##Drop, T, depth, of, true)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(Queries, type, T, 32)                                         \
  HOCKET_KERNELS(Queries, type, T, 64)                                         \
  HOCKET_KERNELS(Queries, type, T, 128)                                        \
  HOCKET_KERNELS(Queries, type, T, 256)                                        \
  HOCKET_KERNELS(KeysAndValues, type, T, 32)                                   \
  HOCKET_KERNELS(KeysAndValues, type, T, 64)                                   \
  HOCKET_KERNELS(KeysAndValues, type, T, 128)                                  \
  HOCKET_KERNELS(Keys, type, T, 256)                                           \
  HOCKET_KERNELS(Values, type, T, 256)

HOCKET_TYPE(F16, __half)
HOCKET_TYPE(BF16, __nv_bfloat16)
