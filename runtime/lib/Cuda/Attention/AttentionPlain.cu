//===- AttentionPlain.cu - attention of F32 and F64, forward --------------===//
//
// As AttentionHalf.cu, with products in the type itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/PlainTiles.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"

namespace hocket::runtime::cuda {

/// A thread's rows.
template <class T, int R> struct RowState {
  Range seen[R];
  uint64_t weights[R]; // numbers of their first weights
  T largest[R], total[R];
};

template <class T, int R, int C, class Mask>
static __device__ void maskScores(const AttentionParameters &p,
                                  const BlockOfHead<int64_t> &block,
                                  T (&scores)[R][C], const RowState<T, R> &rows,
                                  int column, const Mask &mask) {
#pragma unroll
  for (int j = 0; j < C; ++j) {
    const int local = threadColumn() + 16 * j, key = column + local;
    bool isThere = key < p.keys && isKept(p, block.b, key);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int query = block.first + threadRow() * R + i;
      bool isSeen = isThere && key >= rows.seen[i].begin &&
                    key < rows.seen[i].end && mask.row(query).sees(local);
      scores[i][j] = isSeen ? scores[i][j] * T(p.scale) : T(-INFINITY);
      if (isBiased && isSeen)
        scores[i][j] += biasOf<T, T>(p, block.b, block.h, query, key);
    }
  }
}

/// Scores become weights, undivided, and go to shared memory; returns what the
/// sums of each row shrink by.
template <class T, bool drops, int R, int C>
static __device__ void exponentiate(const AttentionParameters &p,
                                    T (&scores)[R][C], RowState<T, R> &rows,
                                    int column, T *weights, T (&shrink)[R]) {
#pragma unroll
  for (int i = 0; i < R; ++i) {
    T next = rows.largest[i];
#pragma unroll
    for (int j = 0; j < C; ++j)
      next = max(next, scores[i][j]);
    next = largestOfRow(next);
    // A row that has seen nothing yet counts from 0.
    T base = next == T(-INFINITY) ? T(0) : next;
    shrink[i] = exp(rows.largest[i] - base);
    rows.largest[i] = next;
    rows.total[i] *= shrink[i];
#pragma unroll
    for (int j = 0; j < C; ++j) {
      T weight = exp(scores[i][j] - base);
      rows.total[i] += weight;
      int key = threadColumn() + 16 * j;
      if (drops)
        weight = Dropper(p.dropout).keeps(rows.weights[i] + column + key)
                     ? weight * T(p.dropout.scale)
                     : T(0);
      weights[(threadRow() * R + i) * pitchOf<T, 16 * C> + key] = weight;
    }
  }
}

template <class T, int depth, bool drops>
static __device__ void attend(const AttentionParameters &p) {
  constexpr TileShape shape = plainTile(depth, sizeof(T));
  constexpr int R = shape.rows / 16, C = shape.columns / 16;
  extern __shared__ __align__(16) char memory[];
  T *queries = reinterpret_cast<T *>(memory);
  T *tile = queries + shape.rows * pitchOf<T, depth>;
  T *weights = tile + shape.columns * pitchOf<T, depth>;
  const BlockOfHead<int64_t> block = blockOfHead(p, p.heads, shape.rows);
  const int64_t kvHead = kvHeadOf(p, block.h);
  const T *key = headOf<T>(p.k, block.b, kvHead);
  const T *value = headOf<T>(p.v, block.b, kvHead);
  loadRows<T, depth, shape.rows>(queries, p.q, headOf<T>(p.q, block.b, block.h),
                                 block.first, p.queries);
  RowState<T, R> rows;
#pragma unroll
  for (int i = 0; i < R; ++i) {
    int query = block.first + threadRow() * R + i;
    rows.seen[i] = keysOf(p, query);
    rows.largest[i] = T(-INFINITY);
    rows.total[i] = 0;
    if (drops)
      rows.weights[i] = firstWeight(p, block.b, block.h, query);
  }
  RowSums<T, depth, R> sums;
  const KeyWalk<isListed> walk(p, block.b, block.h, block.first, shape.rows,
                               shape.columns);
  for (int n = walk.begin; n < walk.end; ++n) {
    const int column = walk.tile(n) * shape.columns;
    __syncthreads();
    loadRows<T, depth, shape.columns>(tile, p.k, key, column, p.keys);
    __syncthreads();
    T scores[R][C], shrink[R];
    scoreRows<T, depth>(scores, queries, tile);
    maskScores(p, block, scores, rows, column,
               walk.template mask<shape.columns>(n, p.queries));
    exponentiate<T, drops>(p, scores, rows, column, weights, shrink);
#pragma unroll
    for (int i = 0; i < R; ++i)
      for (auto &group : sums.sums[i])
        for (T &sum : group)
          sum *= shrink[i];
    __syncthreads();
    loadRows<T, depth, shape.columns>(tile, p.v, value, column, p.keys);
    __syncthreads();
    sums.template add<shape.columns>(weights, tile);
  }
  T factors[R];
#pragma unroll
  for (int i = 0; i < R; ++i) {
    T total = sumOfRow(rows.total[i]);
    factors[i] = total > 0 ? 1 / total : T(0);
    int query = block.first + threadRow() * R + i;
    if (p.lse && threadColumn() == 0 && query < p.queries)
      lseOf<T>(p, block.b, block.h, query) =
          total > 0 ? rows.largest[i] + log(total) : T(-INFINITY);
  }
  sums.store(p.out, headOf<T>(p.out, block.b, block.h), block.first, p.queries,
             factors);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, drops)                                   \
  extern "C" __global__ void __launch_bounds__(plainThreads HOCKET_BLOCKS)     \
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

HOCKET_TYPE(F32, float)
HOCKET_TYPE(F64, double)
