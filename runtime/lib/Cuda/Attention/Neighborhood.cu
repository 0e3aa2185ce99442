//===- Neighborhood.cu - neighborhood attention and its gradients ---------===//
//
// A warp has a query and goes over the keys of its window, or has a key and
// goes over the queries whose windows it is in; a lane has every 32nd element
// of the rows.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/NeighborhoodParameters.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

constexpr int threads = 128;

template <class T> struct WideOf {
  using Type = float;
};
template <> struct WideOf<double> {
  using Type = double;
};
template <class T> using Wide = typename WideOf<T>::Type;

/// Batch entry, head and three dims.
struct Place {
  int64_t b, h;
  int at[3];
};

/// That of a row, counted row-major; extents are held here.
static __device__ inline Place placeOf(uint32_t row, int64_t heads,
                                       const int (&extents)[3]) {
  Place place;
#pragma unroll
  for (int d = 2; d >= 0; --d) {
    place.at[d] = row % uint32_t(extents[d]);
    row /= uint32_t(extents[d]);
  }
  place.b = row / heads;
  place.h = row % heads;
  return place;
}

static __device__ inline int64_t offsetOf(const int64_t *strides,
                                          const Place &place) {
  int64_t offset = place.b * strides[0] + place.h * strides[1];
#pragma unroll
  for (int d = 0; d < 3; ++d)
    offset += place.at[d] * strides[d + 2];
  return offset;
}

/// Keys `first`, `first` + dilation, ... of the whole dim, as
/// plan::Neighborhood::keysOf has them.
struct Keys {
  int first, count;
};
static __device__ inline Keys keysOf(const WindowDim &dim, int query) {
  int rest = query % dim.dilation, i = query / dim.dilation;
  int length = (dim.extent - rest + dim.dilation - 1) / dim.dilation;
  int leader = i / dim.stride * dim.stride +
               (dim.isCausal ? dim.stride - 1 : dim.stride / 2);
  leader = min(leader, length - 1);
  int begin = leader - (dim.isCausal ? dim.kernel - 1 : dim.kernel / 2);
  begin = max(min(begin, length - dim.kernel), 0);
  int count = dim.isCausal ? i + 1 - begin : dim.kernel;
  return {begin * dim.dilation + rest, count};
}

/// A lane's elements of a row of up to 32 * n.
template <class W, int n> struct Row {
  W elements[n] = {};

  __device__ W dot(const Row &other) const {
    W sum = 0;
#pragma unroll
    for (int i = 0; i < n; ++i)
      sum += elements[i] * other.elements[i];
#pragma unroll
    for (int step = 16; step; step /= 2)
      sum += __shfl_xor_sync(~0u, sum, step);
    return sum;
  }
  __device__ void add(const Row &other, W factor) {
#pragma unroll
    for (int i = 0; i < n; ++i)
      elements[i] += factor * other.elements[i];
  }
  __device__ void scale(W factor) {
#pragma unroll
    for (int i = 0; i < n; ++i)
      elements[i] *= factor;
  }
};

template <class T, int n>
static __device__ inline Row<Wide<T>, n> load(const GridTensor &x,
                                              const Place &place, int extent) {
  const T *from =
      reinterpret_cast<const T *>(x.data) + offsetOf(x.strides, place);
  Row<Wide<T>, n> row;
#pragma unroll
  for (int i = 0; i < n; ++i)
    if (int d = threadIdx.x % 32 + 32 * i; d < extent)
      row.elements[i] = Wide<T>(from[d * x.strides[5]]);
  return row;
}
template <class T, int n>
static __device__ inline void store(const GridTensor &x, const Place &place,
                                    int extent, const Row<Wide<T>, n> &row) {
  T *to = reinterpret_cast<T *>(x.data) + offsetOf(x.strides, place);
#pragma unroll
  for (int i = 0; i < n; ++i)
    if (int d = threadIdx.x % 32 + 32 * i; d < extent)
      to[d * x.strides[5]] = T(row.elements[i]);
}

/// Calls visit(key) for those of a query's window, in order.
template <class Visit>
static __device__ inline void forKeys(const NeighborhoodParameters &p,
                                      const Place &query, Visit visit) {
  Place key = query;
  key.h = (p.headOffset + query.h) / p.group - p.kvHeadOffset;
  Keys keys[3];
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    keys[d] = keysOf(p.dims[d], query.at[d] + p.dims[d].queryOffset);
    keys[d].first -= p.dims[d].keyOffset;
  }
  for (int i = 0; i < keys[0].count; ++i)
    for (int j = 0; j < keys[1].count; ++j)
      for (int k = 0; k < keys[2].count; ++k) {
        key.at[0] = keys[0].first + i * p.dims[0].dilation;
        key.at[1] = keys[1].first + j * p.dims[1].dilation;
        key.at[2] = keys[2].first + k * p.dims[2].dilation;
        visit(key);
      }
}

/// Queries of a dim that may see a key: a window begins at most one window and
/// its stride away from its query.
struct Candidates {
  int first, end, step;
};
static __device__ inline Candidates candidatesOf(const WindowDim &dim,
                                                 int key) {
  int whole = key + dim.keyOffset,
      reach = (dim.kernel + dim.stride) * dim.dilation;
  // Their remainders are the key's.
  int first = whole - reach - dim.queryOffset;
  if (first < 0)
    first += (-first + dim.dilation - 1) / dim.dilation * dim.dilation;
  return {first, min(whole + reach + 1 - dim.queryOffset, dim.queries),
          dim.dilation};
}
static __device__ inline bool sees(const WindowDim &dim, int query, int key) {
  Keys keys = keysOf(dim, query + dim.queryOffset);
  int whole = key + dim.keyOffset;
  return whole >= keys.first && whole < keys.first + keys.count * dim.dilation;
}

/// Calls visit(query) for those that see a key, head by head.
template <class Visit>
static __device__ inline void forQueries(const NeighborhoodParameters &p,
                                         const Place &key, Visit visit) {
  int64_t head = (key.h + p.kvHeadOffset) * p.group - p.headOffset;
  int64_t end = min(head + p.group, p.heads);
  Candidates of[3];
#pragma unroll
  for (int d = 0; d < 3; ++d)
    of[d] = candidatesOf(p.dims[d], key.at[d]);
  Place query = key;
  for (query.h = max(head, int64_t(0)); query.h < end; ++query.h)
    for (query.at[0] = of[0].first; query.at[0] < of[0].end;
         query.at[0] += of[0].step) {
      if (!sees(p.dims[0], query.at[0], key.at[0]))
        continue;
      for (query.at[1] = of[1].first; query.at[1] < of[1].end;
           query.at[1] += of[1].step) {
        if (!sees(p.dims[1], query.at[1], key.at[1]))
          continue;
        for (query.at[2] = of[2].first; query.at[2] < of[2].end;
             query.at[2] += of[2].step)
          if (sees(p.dims[2], query.at[2], key.at[2]))
            visit(query);
      }
    }
}

template <class W>
static __device__ inline W &lseOf(const NeighborhoodParameters &p,
                                  const Place &query) {
  return reinterpret_cast<W *>(p.lse)[offsetOf(p.lseStrides, query)];
}

static __device__ inline uint32_t rowOfWarp() {
  return blockIdx.x * (threads / 32) + threadIdx.x / 32;
}

template <class T, int n>
static __device__ void attend(const NeighborhoodParameters &p) {
  using W = Wide<T>;
  if (rowOfWarp() >= p.rows)
    return;
  const int queries[3] = {p.dims[0].queries, p.dims[1].queries,
                          p.dims[2].queries};
  const Place place = placeOf(rowOfWarp(), p.heads, queries);
  const Row<W, n> query = load<T, n>(p.q, place, p.depth);
  Row<W, n> sum;
  W largest = -INFINITY, total = 0;
  forKeys(p, place, [&](const Place &key) {
    W score = W(p.scale) * query.dot(load<T, n>(p.k, key, p.depth));
    W next = max(largest, score);
    W shrink = exp(largest - next), weight = exp(score - next);
    largest = next;
    total = total * shrink + weight;
    sum.scale(shrink);
    sum.add(load<T, n>(p.v, key, p.width), weight);
  });
  sum.scale(1 / total);
  store<T, n>(p.out, place, p.width, sum);
  if (p.lse && threadIdx.x % 32 == 0)
    lseOf<W>(p, place) = largest + log(total);
}

/// What a query leaves to the keys of its window: scratch holds [3, B, H, 3
/// dims]. The gradient of a score is weight * inverse * (gradient of the weight
/// - origin - mean), as in AttentionPlainGrad.cu.
enum Left { Origin, Mean, Inverse };
template <class W>
static __device__ inline W &leftBy(const NeighborhoodParameters &p,
                                   uint32_t query, Left which) {
  return reinterpret_cast<W *>(p.left)[int64_t(which) * p.allQueries + query];
}

template <class T, int n>
static __device__ void queryGradient(const NeighborhoodParameters &p) {
  using W = Wide<T>;
  if (rowOfWarp() >= p.rows)
    return;
  const int queries[3] = {p.dims[0].queries, p.dims[1].queries,
                          p.dims[2].queries};
  const Place place = placeOf(rowOfWarp(), p.heads, queries);
  const Row<W, n> query = load<T, n>(p.q, place, p.depth);
  const Row<W, n> dout = load<T, n>(p.dout, place, p.width);
  W origin = dout.dot(load<T, n>(p.out, place, p.width));
  const W lse = lseOf<W>(p, place);
  Row<W, n> sum, keySum;
  W total = 0, rest = 0;
  forKeys(p, place, [&](const Place &key) {
    Row<W, n> row = load<T, n>(p.k, key, p.depth);
    W weight = exp(fma(W(p.scale), query.dot(row), -lse));
    W gradient = dout.dot(load<T, n>(p.v, key, p.width));
    if (weight > W(0.5)) {
      W shift = origin - gradient;
      origin = gradient;
      rest += shift * total;
      sum.add(keySum, shift);
    }
    W product = weight * (gradient - origin);
    total += weight;
    rest += product;
    sum.add(row, product);
    keySum.add(row, weight);
  });
  const W inverse = 1 / total, mean = rest * inverse;
  sum.add(keySum, -mean);
  sum.scale(W(p.scale) * inverse);
  store<T, n>(p.dq, place, p.depth, sum);
  if (threadIdx.x % 32 != 0)
    return;
  leftBy<W>(p, rowOfWarp(), Origin) = origin;
  leftBy<W>(p, rowOfWarp(), Mean) = mean;
  leftBy<W>(p, rowOfWarp(), Inverse) = inverse;
}

template <class T, int n>
static __device__ void keyGradient(const NeighborhoodParameters &p) {
  using W = Wide<T>;
  if (rowOfWarp() >= p.rows)
    return;
  const int keys[3] = {p.dims[0].keys, p.dims[1].keys, p.dims[2].keys};
  const Place place = placeOf(rowOfWarp(), p.kvHeads, keys);
  const Row<W, n> key = load<T, n>(p.k, place, p.depth);
  const Row<W, n> value = load<T, n>(p.v, place, p.width);
  Row<W, n> keySum, valueSum;
  forQueries(p, place, [&](const Place &query) {
    int64_t at = query.b * p.heads + query.h;
#pragma unroll
    for (int d = 0; d < 3; ++d)
      at = at * p.dims[d].queries + query.at[d];
    Row<W, n> q = load<T, n>(p.q, query, p.depth);
    Row<W, n> dout = load<T, n>(p.dout, query, p.width);
    W weight = exp(fma(W(p.scale), q.dot(key), -lseOf<W>(p, query))) *
               leftBy<W>(p, at, Inverse);
    keySum.add(q, weight * (dout.dot(value) - leftBy<W>(p, at, Origin) -
                            leftBy<W>(p, at, Mean)));
    valueSum.add(dout, weight);
  });
  keySum.scale(W(p.scale));
  store<T, n>(p.dk, place, p.depth, keySum);
  store<T, n>(p.dv, place, p.width, valueSum);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, body, T, n)                                        \
  extern "C" __global__ void __launch_bounds__(128, n > 2 ? 2 : 4)             \
      name(const __grid_constant__ NeighborhoodParameters p) {                 \
    body<T, n>(p);                                                             \
  }
#define HOCKET_KERNELS(type, T, depth)                                         \
  HOCKET_KERNEL(neighborhood##type##D##depth, attend, T, depth / 32)           \
  HOCKET_KERNEL(queryGradient##type##D##depth, queryGradient, T, depth / 32)   \
  HOCKET_KERNEL(keyGradient##type##D##depth, keyGradient, T, depth / 32)
#define HOCKET_TYPE(type, T)                                                   \
  HOCKET_KERNELS(type, T, 64)                                                  \
  HOCKET_KERNELS(type, T, 256)

HOCKET_TYPE(F32, float)
HOCKET_TYPE(F64, double)
HOCKET_TYPE(F16, __half)
HOCKET_TYPE(BF16, __nv_bfloat16)
