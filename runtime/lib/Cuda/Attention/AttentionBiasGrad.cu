//===- AttentionBiasGrad.cu - the gradient of attention's bias ------------===//
//
// That of a score before `scale`: P (dP - mean), computed anew after the kernel
// of queries has left what it is counted from (AttentionPlainGrad.cu). A block
// has a tile of the bias and adds to it what each batch entry, head and tile of
// queries that share it gives, one after the other, so that bits are those of
// every run. Products are in f32, or f64 of f64.
//
//===----------------------------------------------------------------------===//

#define HOCKET_BIASED
#include "runtime/lib/Cuda/Attention/PlainTiles.cuh"
#include "runtime/lib/Cuda/Attention/Walk.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace hocket::runtime::cuda {

/// Rows [first, first + rows) of a head, in a wider type.
template <class T, class Wide, int depth, int rows>
static __device__ inline void loadWide(Wide *tile, const HeadTensor &x,
                                       const T *head, int first, int count) {
  for (int i = threadIdx.x; i < rows * depth; i += plainThreads) {
    const int row = i / depth, column = i % depth;
    const bool isThere = first + row < count && column < x.extent;
    tile[row * pitchOf<Wide, depth> + column] =
        isThere
            ? Wide(head[(first + row) * x.strides[2] + column * x.strides[3]])
            : Wide(0);
  }
}

template <class T, int depth, bool drops> class BiasBlock {
  using Wide = std::conditional_t<sizeof(T) == 2, float, T>;
  static constexpr TileShape shape = plainGradTile(depth, sizeof(Wide));
  static constexpr int R = shape.rows / 16, C = shape.columns / 16;
  /// What 16-bit kernels leave is a mean; those of f32 and f64 leave more.
  static constexpr bool hasTotals = sizeof(T) > 2;

public:
  __device__ BiasBlock(const AttentionParameters &p, char *memory) : p(p) {
    Wide *place = reinterpret_cast<Wide *>(memory);
    for (Wide *&tile : left)
      tile = place, place += shape.rows * pitchOf<Wide, depth>;
    for (Wide *&tile : right)
      tile = place, place += shape.columns * pitchOf<Wide, depth>;
    const uint32_t columnTiles = (p.keys + shape.columns - 1) / shape.columns;
    uint32_t number = blockIdx.x;
    columnTile = int(number % columnTiles);
    number /= columnTiles;
    const uint32_t rowTiles = p.dbias.strides[2] ? p.tiles : 1;
    rows = slice(p.dbias.strides[2], number % rowTiles, p.tiles);
    number /= rowTiles;
    const uint32_t ownHeads = p.dbias.strides[1] ? uint32_t(p.heads) : 1;
    heads = slice(p.dbias.strides[1], number % ownHeads, p.heads);
    batch = slice(p.dbias.strides[0], number / ownHeads, p.batch);
  }

  __device__ void run() {
    for (int64_t b = batch.begin; b < batch.end; ++b)
      for (int64_t h = heads.begin; h < heads.end; ++h)
        for (int64_t tile = rows.begin; tile < rows.end; ++tile)
          addTile(b, h, int(tile) * shape.rows);
    if (p.dbias.strides[2])
      store();
    else
      storeColumns();
  }

private:
  struct Slice {
    int64_t begin, end;
  };
  /// The n-th where each has its own, or all.
  static __device__ Slice slice(int64_t stride, int64_t n, int64_t all) {
    return stride ? Slice{n, n + 1} : Slice{0, all};
  }

  /// The first tile of the list, which is in the order of keys (TileLists.cpp),
  /// that is not before `tile`.
  static __device__ int placeOf(int tile, const KeyWalk<true> &walk) {
    int begin = walk.begin, end = walk.end;
    while (begin < end) {
      const int middle = (begin + end) / 2;
      if (walk.tile(middle) < tile)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  /// Of a tile of scores, if its rows meet its columns.
  __device__ void addTile(int64_t b, int64_t h, int first) {
    const KeyWalk<true> walk(p, b, h, first, shape.rows, shape.columns);
    const int n = placeOf(columnTile, walk);
    if (n == walk.end || walk.tile(n) != columnTile)
      return;
    const int64_t kvHead = kvHeadOf(p, h);
    const int column = columnTile * shape.columns;
    __syncthreads();
    load<shape.rows>(left[0], p.q, b, h, first, p.queries);
    load<shape.rows>(left[1], p.dout, b, h, first, p.queries);
    load<shape.columns>(right[0], p.k, b, kvHead, column, p.keys);
    load<shape.columns>(right[1], p.v, b, kvHead, column, p.keys);
    __syncthreads();
    Wide scores[R][C], gradients[R][C];
    scoreRows<Wide, depth>(scores, left[0], right[0]);
    scoreRows<Wide, depth>(gradients, left[1], right[1]);
    const auto mask = walk.template mask<shape.columns>(n, p.queries);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      const int query = first + threadRow() * R + i;
      if (query >= p.queries)
        continue;
      const Wide lse = lseOf<Wide>(p, b, h, query);
      if (lse == -Wide(INFINITY))
        continue;
      const Range seen = keysOf(p, query);
      const Wide origin = meanOf<Wide>(p, b, h, query);
      const Wide mean = hasTotals ? meanOf<Wide>(p, b, h, query, 1) : Wide(0);
      const Wide inverse =
          hasTotals ? meanOf<Wide>(p, b, h, query, 2) : Wide(1);
      const uint64_t number = drops ? firstWeight(p, b, h, query) : 0;
#pragma unroll
      for (int j = 0; j < C; ++j) {
        const int local = threadColumn() + 16 * j, key = column + local;
        if (key >= p.keys || !isKept(p, b, key) || key < seen.begin ||
            key >= seen.end || !mask.row(query).sees(local))
          continue;
        const Wide bias = biasOf<T, Wide>(p, b, h, query, key);
        const Wide weight =
            exp(fma(scores[i][j], Wide(p.scale), bias - lse)) * inverse;
        Wide gradient = gradients[i][j];
        if (drops)
          gradient = Dropper(p.dropout).keeps(number + key)
                         ? gradient * Wide(p.dropout.scale)
                         : Wide(0);
        sums[i][j] += weight * (gradient - origin - mean);
      }
    }
  }
  template <int count>
  __device__ void load(Wide *tile, const HeadTensor &x, int64_t b, int64_t h,
                       int first, int most) const {
    loadWide<T, Wide, depth, count>(tile, x, headOf<T>(x, b, h), first, most);
  }

  __device__ void put(int query, int key, Wide sum) const {
    const int64_t *strides = p.dbias.strides;
    const int64_t at = batch.begin * strides[0] + heads.begin * strides[1] +
                       query * strides[2] + key * strides[3];
    if (sizeof(T) == 2 && p.dbias.isWide)
      reinterpret_cast<Wide *>(p.dbias.data)[at] = sum;
    else
      reinterpret_cast<T *>(p.dbias.data)[at] = T(sum);
  }
  __device__ void store() const {
#pragma unroll
    for (int i = 0; i < R; ++i)
#pragma unroll
      for (int j = 0; j < C; ++j) {
        const int query = int(rows.begin) * shape.rows + threadRow() * R + i;
        const int key = columnTile * shape.columns + threadColumn() + 16 * j;
        if (query < p.queries && key < p.keys)
          put(query, key, sums[i][j]);
      }
  }
  /// One row for all queries: the sums of columns, in the order of rows.
  __device__ void storeColumns() {
    Wide *all = left[0];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < R; ++i)
#pragma unroll
      for (int j = 0; j < C; ++j)
        all[(threadRow() * R + i) * shape.columns + threadColumn() + 16 * j] =
            sums[i][j];
    __syncthreads();
    const int key = columnTile * shape.columns + int(threadIdx.x);
    if (threadIdx.x >= shape.columns || key >= p.keys)
      return;
    Wide sum = 0;
    for (int row = 0; row < shape.rows; ++row)
      sum += all[row * shape.columns + threadIdx.x];
    put(0, key, sum);
  }

  const AttentionParameters &p;
  Wide *left[2], *right[2];
  int columnTile;
  Slice batch, heads, rows; // entries, heads and tiles that share the bias
  Wide sums[R][C] = {};
};

template <class T, int depth, bool drops>
static __device__ void differentiate(const AttentionParameters &p) {
  extern __shared__ __align__(16) char memory[];
  BiasBlock<T, depth, drops>(p, memory).run();
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, T, depth, drops)                                   \
  extern "C" __global__ void __launch_bounds__(plainThreads HOCKET_BLOCKS)     \
      HOCKET_ENTRY(name)(const __grid_constant__ AttentionParameters p) {      \
    differentiate<T, depth, drops>(p);                                         \
  }
#define HOCKET_KERNELS(type, T, depth)                                         \
  HOCKET_KERNEL(gradientOfBias##type##D##depth, T, depth, false)               \
  HOCKET_KERNEL(gradientOfBias##type##D##depth##Drop, T, depth, true)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(type, T, 32)                                                  \
  HOCKET_KERNELS(type, T, 64)                                                  \
  HOCKET_KERNELS(type, T, 128)                                                 \
  HOCKET_KERNELS(type, T, 256)

HOCKET_TYPE(F16, __half)
HOCKET_TYPE(BF16, __nv_bfloat16)
HOCKET_TYPE(F32, float)
HOCKET_TYPE(F64, double)
