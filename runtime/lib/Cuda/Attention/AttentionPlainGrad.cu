//===- AttentionPlainGrad.cu - gradients of attention of F32 and F64 ------===//
//
// As AttentionHalfGrad.cu, with products in the type itself, and so that what
// cancels within a row is exact. P is divided by its own sum, whatever lse was
// rounded to, and the mean of dP is that under this P: the kernel whose rows
// are queries begins from some origin, adds up
//
//   first = sum of P (dP - origin) K       rest = sum of P (dP - origin)
//   second = sum of P K                    total = sum of P
//
// ends with dQ = scale (first - mean second) / total, where mean = rest / total
// is counted from the origin, and leaves origin, mean and total to the other
// kernel. The origin is the sum of dout * out, near the mean, or dP of a weight
// of more than half, and then nothing of that dP is left to be rounded. Where
// the keys are some of many, the total is 1 and the origin is the mean.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/PlainTiles.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"
#include <type_traits>

namespace hocket::runtime::cuda {

/// What the weights of a query, and the gradients of its scores, come from;
/// mean and inverse, of the total, are for the kernel whose rows are keys.
template <class T> struct QueryState {
  T lse, origin, mean, inverse;
  uint64_t weights; // the number of the first one
};
template <class T, bool drops, bool ofQueries>
static __device__ QueryState<T> stateOf(const AttentionParameters &p, int64_t b,
                                        int64_t h, int query) {
  // Weights of queries that are not there, or see nothing, are 0.
  QueryState<T> state = {T(INFINITY), 0, 0, 0, 0};
  if (query >= p.queries)
    return state;
  T lse = lseOf<T>(p, b, h, query);
  state.lse = lse == T(-INFINITY) ? T(INFINITY) : lse;
  state.origin = meanOf<T>(p, b, h, query);
  if (!ofQueries) {
    state.mean = meanOf<T>(p, b, h, query, 1);
    state.inverse = meanOf<T>(p, b, h, query, 2);
  }
  if (drops)
    state.weights = firstWeight(p, b, h, query);
  return state;
}

/// A product that is no part of a sum: both kernels must have the same dP.
static __device__ inline float multiply(float a, float b) {
  return __fmul_rn(a, b);
}
static __device__ inline double multiply(double a, double b) {
  return __dmul_rn(a, b);
}

template <class T, int depth, bool ofQueries, bool drops> class Block {
  static constexpr TileShape shape = plainGradTile(depth, sizeof(T));
  static constexpr int columns = shape.columns;
  static constexpr int R = shape.rows / 16, C = columns / 16;
  using Sums = RowSums<T, depth, R>;
  using Walk =
      std::conditional_t<ofQueries, KeyWalk<isListed>, QueryWalk<isListed>>;

public:
  __device__ Block(const AttentionParameters &p, char *memory)
      : p(p), at(blockOfHead(p, ofQueries ? p.heads : p.kvHeads, shape.rows)) {
    T *place = reinterpret_cast<T *>(memory);
    for (T *&tile : left)
      tile = place, place += shape.rows * pitchOf<T, depth>;
    for (T *&tile : right)
      tile = place, place += columns * pitchOf<T, depth>;
    for (T *&tile : products)
      tile = place, place += shape.rows * pitchOf<T, columns>;
    columnStates = reinterpret_cast<QueryState<T> *>(place);
  }

  __device__ void run() {
    const HeadTensor &one = ofQueries ? p.q : p.k,
                     &two = ofQueries ? p.dout : p.v;
    const int count = ofQueries ? p.queries : p.keys;
    loadRows<T, depth, shape.rows>(left[0], one, headOf<T>(one, at.b, at.h),
                                   at.first, count);
    loadRows<T, depth, shape.rows>(left[1], two, headOf<T>(two, at.b, at.h),
                                   at.first, count);
    loadState();
    const Walk walk(p, at.b, at.h, at.first, shape.rows, columns);
    Sums sums[2];
    for (int n = walk.begin; n < walk.end; ++n) {
      int column = walk.tile(n) * columns;
      __syncthreads();
      fetch(headOfColumns(walk, n), column);
      __syncthreads();
      T weights[R][C], gradients[R][C];
      scoreRows<T, depth>(weights, left[0], right[0]);
      scoreRows<T, depth>(gradients, left[1], right[1]);
      weigh(weights, gradients, headOfQueries(walk, n), column,
            walk.template mask<columns>(n, count));
      if (ofQueries) {
        if (!p.isTerm)
          setOrigins(weights, gradients, sums);
        addUp(weights, gradients);
      }
      __syncthreads();
      if (ofQueries) {
        Sums::template addTo<columns, 2>(sums, products, right[0]);
        continue;
      }
      sums[0].template add<columns>(products[0], right[0]);
      sums[1].template add<columns>(products[1], right[1]);
    }
    if (ofQueries)
      return storeQueries(sums);
    store(sums[0], p.dk, T(p.scale));
    store(sums[1], p.dv, T(1));
  }

private:
  __device__ int64_t headOfColumns(const KeyWalk<isListed> &, int) const {
    return kvHeadOf(p, at.h);
  }
  __device__ int64_t headOfColumns(const QueryWalk<isListed> &walk,
                                   int n) const {
    return walk.head(n);
  }
  __device__ int64_t headOfQueries(const KeyWalk<isListed> &, int) const {
    return at.h;
  }
  __device__ int64_t headOfQueries(const QueryWalk<isListed> &walk,
                                   int n) const {
    return walk.head(n);
  }
  __device__ int rowOf(int i) const { return threadRow() * R + i; }

  __device__ void loadState() {
#pragma unroll
    for (int i = 0; i < R; ++i) {
      int index = at.first + rowOf(i);
      if (ofQueries) {
        seen[i] = keysOf(p, index);
        queries[i] = stateOf<T, drops, ofQueries>(p, at.b, at.h, index);
        continue;
      }
      seen[i] = queriesOf(p, index);
      if (index >= p.keys || !isKept(p, at.b, index))
        seen[i] = {0, 0};
    }
  }

  /// A tile of columns, and what belongs to these.
  __device__ void fetch(int64_t head, int column) {
    const HeadTensor &one = ofQueries ? p.k : p.q,
                     &two = ofQueries ? p.v : p.dout;
    const int count = ofQueries ? p.keys : p.queries;
    loadRows<T, depth, columns>(right[0], one, headOf<T>(one, at.b, head),
                                column, count);
    loadRows<T, depth, columns>(right[1], two, headOf<T>(two, at.b, head),
                                column, count);
    if (ofQueries || threadIdx.x >= columns)
      return;
    columnStates[threadIdx.x] =
        stateOf<T, drops, ofQueries>(p, at.b, head, column + threadIdx.x);
  }

  /// Scores become weights; dP loses what was dropped. If rows are keys, the
  /// products' left sides go to shared memory.
  template <class Mask>
  __device__ void weigh(T (&scores)[R][C], T (&gradients)[R][C], int64_t head,
                        int first, const Mask &mask) {
#pragma unroll
    for (int j = 0; j < C; ++j) {
      const int local = threadColumn() + 16 * j, column = first + local;
      bool isThere = !ofQueries || (column < p.keys && isKept(p, at.b, column));
#pragma unroll
      for (int i = 0; i < R; ++i) {
        QueryState<T> query = ofQueries ? queries[i] : columnStates[local];
        bool isSeen = isThere && column >= seen[i].begin &&
                      column < seen[i].end &&
                      mask.row(at.first + rowOf(i)).sees(local);
        T &weight = scores[i][j], &gradient = gradients[i][j], factor = 1;
        T from = -query.lse;
        if (isBiased && isSeen)
          from +=
              ofQueries
                  ? biasOf<T, T>(p, at.b, head, at.first + rowOf(i), column)
                  : biasOf<T, T>(p, at.b, head, column, at.first + rowOf(i));
        weight = isSeen ? exp(fma(weight, T(p.scale), from)) : T(0);
        if (drops) {
          int key = ofQueries ? column : at.first + rowOf(i);
          factor = Dropper(p.dropout).keeps(query.weights + key)
                       ? T(p.dropout.scale)
                       : T(0);
          gradient = multiply(gradient, factor);
        }
        if (ofQueries)
          continue;
        weight *= query.inverse;
        keep(i, local, weight * (gradient - query.origin - query.mean),
             weight * factor);
      }
    }
  }
  __device__ void keep(int i, int local, T ofFirst, T ofSecond) {
    int place = rowOf(i) * pitchOf<T, columns> + local;
    products[0][place] = ofFirst;
    products[1][place] = ofSecond;
  }

  /// A weight of more than half moves its row's origin to its dP. There is one
  /// in a row, except one whose lse has no digits left.
  __device__ void setOrigins(const T (&weights)[R][C],
                             const T (&gradients)[R][C], Sums (&sums)[2]) {
#pragma unroll
    for (int i = 0; i < R; ++i) {
      T weight = weights[i][0], gradient = gradients[i][0];
#pragma unroll
      for (int j = 1; j < C; ++j)
        takeLarger(weight, gradient, weights[i][j], gradients[i][j]);
      if (!__any_sync(~0u, weight > T(0.5)))
        continue;
#pragma unroll
      for (int step = 8; step; step /= 2) {
        T other = __shfl_xor_sync(~0u, weight, step);
        takeLarger(weight, gradient, other,
                   __shfl_xor_sync(~0u, gradient, step));
      }
      if (!(weight > T(0.5)))
        continue;
      T shift = queries[i].origin - gradient;
      queries[i].origin = gradient;
      rest[i] += shift * total[i];
      sums[0].addRow(i, sums[1], shift);
    }
  }
  static __device__ void takeLarger(T &weight, T &gradient, T otherWeight,
                                    T otherGradient) {
    if (otherWeight < weight ||
        (otherWeight == weight && otherGradient <= gradient))
      return;
    weight = otherWeight;
    gradient = otherGradient;
  }

  __device__ void addUp(const T (&weights)[R][C], const T (&gradients)[R][C]) {
#pragma unroll
    for (int i = 0; i < R; ++i)
#pragma unroll
      for (int j = 0; j < C; ++j) {
        T product = weights[i][j] * (gradients[i][j] - queries[i].origin);
        total[i] += weights[i][j];
        rest[i] += product;
        keep(i, threadColumn() + 16 * j, product, weights[i][j]);
      }
  }

  __device__ void storeQueries(Sums (&sums)[2]) {
    T factors[R];
#pragma unroll
    for (int i = 0; i < R; ++i) {
      T sum = sumOfRow(total[i]), inverse = sum > 0 ? 1 / sum : T(0);
      T mean = sumOfRow(rest[i]) * inverse;
      if (p.isTerm) { // the origin is the mean, over all keys
        inverse = 1;
        mean = 0;
      }
      sums[0].addRow(i, sums[1], -mean);
      factors[i] = inverse * T(p.scale);
      int query = at.first + rowOf(i);
      __syncwarp(); // all have read the first
      if (threadColumn() > 0 || query >= p.queries)
        continue;
      meanOf<T>(p, at.b, at.h, query) = queries[i].origin;
      meanOf<T>(p, at.b, at.h, query, 1) = mean;
      meanOf<T>(p, at.b, at.h, query, 2) = inverse;
    }
    sums[0].store(p.dq, headOf<T>(p.dq, at.b, at.h), at.first, p.queries,
                  factors);
  }

  __device__ void store(const Sums &sums, const HeadTensor &x, T factor) const {
    T factors[R];
    for (T &one : factors)
      one = factor;
    sums.store(x, headOf<T>(x, at.b, at.h), at.first, p.keys, factors);
  }

  const AttentionParameters &p;
  const BlockOfHead<int64_t> at;
  T *left[2], *right[2], *products[2];
  QueryState<T> *columnStates; // if columns are queries
  Range seen[R];
  QueryState<T> queries[R]; // if rows are queries
  T total[R] = {}, rest[R] = {};
};

template <class T, int depth, bool ofQueries, bool drops>
static __device__ void differentiate(const AttentionParameters &p) {
  extern __shared__ __align__(16) char memory[];
  Block<T, depth, ofQueries, drops>(p, memory).run();
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, ofQueries, drops)                        \
  extern "C" __global__ void __launch_bounds__(                                \
      plainThreads, plainGradBlocks(depth, sizeof(T), drops))                  \
      HOCKET_ENTRY(name)(const __grid_constant__ AttentionParameters p) {      \
    differentiate<T, depth, ofQueries, drops>(p);                              \
  }
#define HOCKET_KERNELS(type, T, depth)                                         \
  HOCKET_KERNEL(gradientOfQueries##type##D##depth, T, depth, true, false)      \
  HOCKET_KERNEL(gradientOfQueries##type##D##depth##Drop, T, depth, true, true) \
  HOCKET_KERNEL(gradientOfKeysAndValues##type##D##depth, T, depth, false,      \
                false)                                                         \
  HOCKET_KERNEL(gradientOfKeysAndValues##type##D##depth##Drop, T, depth,       \
                false, true)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(type, T, 32)                                                  \
  HOCKET_KERNELS(type, T, 64)                                                  \
  HOCKET_KERNELS(type, T, 128)                                                 \
  HOCKET_KERNELS(type, T, 256)

HOCKET_TYPE(F32, float)
HOCKET_TYPE(F64, double)
