//===- EmbeddingGrad.cu - rows of a gradient, added by sorted ids ---------===//
//
// A row's terms are added in the order of the ids, by pieces whose borders
// depend on nothing but how many ids there are: results are the same at each
// run. 16-bit floats are added in F32 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/EmbeddingParameters.h"
#include "runtime/lib/Cuda/Kernels/Groups.cuh"
#include "runtime/lib/Cuda/Kernels/Loops.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

constexpr int threads = 128;

template <class T> struct WideOf {
  using Type = T;
};
template <> struct WideOf<__half> {
  using Type = float;
};
template <> struct WideOf<__nv_bfloat16> {
  using Type = float;
};
template <class T> using Wide = typename WideOf<T>::Type;

template <class T, int n> struct alignas(n == 1 ? sizeof(Wide<T>) : 16) Sum {
  Wide<T> elements[n];
};

/// What one thread has to do.
template <class T, int n> class Column {
public:
  __device__ explicit Column(const SumParameters &p) : p(p) {
    uint32_t rest = blockIdx.x * threads + threadIdx.x;
    unit = p.hasUnits ? divide(rest, p.units) : 0;
    piece = rest;
    unitCount = p.hasUnits ? p.units.extent : 1;
    offsetsAt(p.columns, unit, offsets);
  }
  __device__ bool isThere() const { return piece < p.pieces; }
  __device__ uint32_t first() const { return piece * sumItems; }
  __device__ uint32_t end() const { return min(first() + sumItems, p.count); }
  __device__ uint32_t key(uint32_t item) const {
    return reinterpret_cast<const uint32_t *>(p.keys)[item];
  }

  __device__ Group<T, n> load(uint32_t item) const {
    uint32_t place = reinterpret_cast<const uint32_t *>(p.places)[item];
    int64_t row[2];
    offsetsAt(p.rowsOfDy, place, row);
    return loadGroup<T, n>(
        reinterpret_cast<const T *>(p.dy + row[1] + offsets[1]));
  }
  __device__ void store(uint32_t row, const Sum<T, n> &sum) const {
    Group<T, n> group;
#pragma unroll
    for (int e = 0; e < n; ++e)
      group.elements[e] = T(sum.elements[e]);
    storeWhole(
        reinterpret_cast<T *>(p.out + int64_t(row) * p.outStep + offsets[0]),
        group);
  }
  /// To `heads` or `tails`, and from there.
  __device__ void storePart(uint64_t parts, const Sum<T, n> &sum) const {
    const auto *groups = reinterpret_cast<const PartGroup *>(&sum);
#pragma unroll
    for (int i = 0; i < n / groupOfPart; ++i)
      storeWhole(part(parts, piece) + i * groupOfPart, groups[i]);
  }
  __device__ Sum<T, n> loadPart(uint64_t parts, uint32_t piece) const {
    Sum<T, n> sum;
    auto *groups = reinterpret_cast<PartGroup *>(&sum);
#pragma unroll
    for (int i = 0; i < n / groupOfPart; ++i)
      groups[i] =
          loadGroup<Wide<T>, groupOfPart>(part(parts, piece) + i * groupOfPart);
    return sum;
  }
  /// The row of the first item has some in the piece before.
  __device__ bool began(uint32_t first) const {
    return first > 0 && key(first - 1) == key(first);
  }
  __device__ bool goesOn(uint32_t end) const {
    return end < p.count && key(end - 1) == key(end);
  }

  uint32_t piece;

private:
  static constexpr int groupOfPart = n == 1 ? 1 : 16 / sizeof(Wide<T>);
  using PartGroup = Group<Wide<T>, groupOfPart>;
  __device__ Wide<T> *part(uint64_t parts, uint32_t piece) const {
    return reinterpret_cast<Wide<T> *>(parts) +
           (uint64_t(piece) * unitCount + unit) * n;
  }

  const SumParameters &p;
  uint32_t unit, unitCount;
  int64_t offsets[2];
};

template <class T, int n>
static __device__ void sumPieces(const SumParameters &p) {
  Column<T, n> column(p);
  if (!column.isThere())
    return;
  uint32_t first = column.first(), end = column.end();
  uint32_t row = column.key(first);
  bool began = column.began(first);
  Sum<T, n> sum = {};
  auto flush = [&](bool goesOn) {
    if (began)
      column.storePart(p.heads, sum);
    else if (goesOn)
      column.storePart(p.tails, sum);
    else
      column.store(row, sum);
    began = false;
  };
  constexpr int batch = n >= 8 ? 2 : 4; // loads in flight; more would spill
  for (uint32_t item = first; item < end && row < p.rows; item += batch) {
    uint32_t keys[batch];
    Group<T, n> terms[batch] = {}; // of other ranks' rows
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      keys[i] = item + i < end ? column.key(item + i) : p.rows;
      if (keys[i] < p.rows)
        terms[i] = column.load(item + i);
    }
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      if (item + i >= end)
        break;
      if (keys[i] != row) {
        if (row < p.rows)
          flush(false);
        row = keys[i];
        sum = {};
      }
      if (row < p.rows)
#pragma unroll
        for (int e = 0; e < n; ++e)
          sum.elements[e] += Wide<T>(terms[i].elements[e]);
    }
  }
  if (row < p.rows)
    flush(column.goesOn(end));
}

/// Of each row that goes over pieces, by the thread of the piece in which it
/// begins.
template <class T, int n>
static __device__ void addPieces(const SumParameters &p) {
  Column<T, n> column(p);
  if (!column.isThere() || !column.goesOn(column.end()))
    return;
  uint32_t row = column.key(column.end() - 1);
  bool isHead =
      column.key(column.first()) == row && column.began(column.first());
  if (row >= p.rows || isHead)
    return;
  Sum<T, n> sum = column.loadPart(p.tails, column.piece);
  for (uint32_t piece = column.piece + 1;
       piece < p.pieces && column.key(piece * sumItems) == row; ++piece) {
    Sum<T, n> more = column.loadPart(p.heads, piece);
#pragma unroll
    for (int e = 0; e < n; ++e)
      sum.elements[e] += more.elements[e];
  }
  column.store(row, sum);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, body, T, n)                                        \
  extern "C" __global__ void __launch_bounds__(128)                            \
      name(const __grid_constant__ SumParameters p) {                          \
    body<T, n>(p);                                                             \
  }
#define HOCKET_KERNELS(name, T)                                                \
  HOCKET_KERNEL(sum##name##Groups, sumPieces, T, 16 / sizeof(T))               \
  HOCKET_KERNEL(sum##name, sumPieces, T, 1)                                    \
  HOCKET_KERNEL(add##name##Groups, addPieces, T, 16 / sizeof(T))               \
  HOCKET_KERNEL(add##name, addPieces, T, 1)

HOCKET_KERNELS(F32, float)
HOCKET_KERNELS(F64, double)
HOCKET_KERNELS(F16, __half)
HOCKET_KERNELS(BF16, __nv_bfloat16)
HOCKET_KERNELS(I32, int32_t)
HOCKET_KERNELS(I64, int64_t)
