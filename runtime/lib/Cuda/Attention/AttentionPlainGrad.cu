//===- AttentionPlainGrad.cu - gradients of attention of F32 and F64 ------===//
//
// As AttentionHalfGrad.cu, with products in the type itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/PlainTiles.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"

namespace hocket::runtime::cuda {

/// What the weights of a query come from.
template <class T> struct QueryState {
  T lse, mean;
  uint64_t weights; // the number of the first one
};
template <class T, bool drops>
static __device__ QueryState<T> stateOf(const AttentionParameters &p, int64_t b,
                                        int64_t h, int query) {
  // Weights of queries that are not there, or see nothing, are 0.
  QueryState<T> state = {T(INFINITY), 0, 0};
  if (query >= p.queries)
    return state;
  T lse = lseOf<T>(p, b, h, query);
  state.lse = lse == T(-INFINITY) ? T(INFINITY) : lse;
  state.mean = meanOf<T>(p, b, h, query);
  if (drops)
    state.weights = firstWeight(p, b, h, query);
  return state;
}

template <class T, int depth, bool ofQueries, bool drops> class Block {
  static constexpr TileShape shape = plainGradTile(depth, sizeof(T));
  static constexpr int columns = shape.columns;
  static constexpr int R = shape.rows / 16, C = columns / 16;
  using Sums = RowSums<T, depth, R>;

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
    columnLse = place;
    columnMean = columnLse + columns;
    columnWeights = reinterpret_cast<uint64_t *>(columnMean + columns);
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
    int last = min(at.first + shape.rows, count) - 1;
    const Walk walk = ofQueries
                          ? walkOfQueries(p, at.h, at.first, last, columns)
                          : walkOfKeys(p, at.h, at.first, last, columns);
    Sums first, second;
    for (int n = 0; n < walk.count; ++n) {
      int column = walk.tile(n) * columns;
      __syncthreads();
      fetch(ofQueries ? kvHeadOf(p, at.h) : walk.head(n), column);
      __syncthreads();
      T weights[R][C], gradients[R][C];
      scoreRows<T, depth>(weights, left[0], right[0]);
      scoreRows<T, depth>(gradients, left[1], right[1]);
      weigh(weights, gradients, column);
      __syncthreads();
      first.template add<columns>(products[0], right[0]);
      if (!ofQueries)
        second.template add<columns>(products[1], right[1]);
    }
    store(first, ofQueries ? p.dq : p.dk, T(p.scale), count);
    if (!ofQueries)
      store(second, p.dv, T(1), count);
  }

private:
  __device__ int rowOf(int i) const { return threadRow() * R + i; }

  __device__ void loadState() {
#pragma unroll
    for (int i = 0; i < R; ++i) {
      int index = at.first + rowOf(i);
      if (ofQueries) {
        seen[i] = keysOf(p, index);
        queries[i] = stateOf<T, drops>(p, at.b, at.h, index);
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
    auto state = stateOf<T, drops>(p, at.b, head, column + threadIdx.x);
    columnLse[threadIdx.x] = state.lse;
    columnMean[threadIdx.x] = state.mean;
    columnWeights[threadIdx.x] = state.weights;
  }

  /// Scores and gradients of weights become gradients of scores, before
  /// `scale`, and weights, in shared memory.
  __device__ void weigh(const T (&scores)[R][C], const T (&gradients)[R][C],
                        int first) {
#pragma unroll
    for (int j = 0; j < C; ++j) {
      const int local = threadColumn() + 16 * j, column = first + local;
      bool isThere = !ofQueries || (column < p.keys && isKept(p, at.b, column));
#pragma unroll
      for (int i = 0; i < R; ++i) {
        QueryState<T> query =
            ofQueries ? queries[i]
                      : QueryState<T>{columnLse[local], columnMean[local],
                                      columnWeights[local]};
        bool isSeen =
            isThere && column >= seen[i].begin && column < seen[i].end;
        T weight = isSeen ? exp(scores[i][j] * T(p.scale) - query.lse) : T(0);
        T factor = 1;
        if (drops) {
          int key = ofQueries ? column : at.first + rowOf(i);
          factor = Dropper(p.dropout).keeps(query.weights + key)
                       ? T(p.dropout.scale)
                       : T(0);
        }
        int place = rowOf(i) * pitchOf<T, columns> + local;
        products[0][place] = weight * (factor * gradients[i][j] - query.mean);
        products[1][place] = weight * factor;
      }
    }
  }

  __device__ void store(const Sums &sums, const HeadTensor &x, T factor,
                        int count) const {
    T factors[R];
    for (T &one : factors)
      one = factor;
    sums.store(x, headOf<T>(x, at.b, at.h), at.first, count, factors);
  }

  const AttentionParameters &p;
  const BlockOfHead at;
  T *left[2], *right[2], *products[2];
  T *columnLse, *columnMean;
  uint64_t *columnWeights;
  Range seen[R];
  QueryState<T> queries[R]; // if rows are queries
};

template <class T, int depth, bool ofQueries, bool drops>
static __device__ void differentiate(const AttentionParameters &p) {
  extern __shared__ __align__(16) char memory[];
  Block<T, depth, ofQueries, drops>(p, memory).run();
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, ofQueries, drops)                        \
  extern "C" __global__ void __launch_bounds__(plainThreads)                   \
      name(const __grid_constant__ AttentionParameters p) {                    \
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
