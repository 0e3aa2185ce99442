//===- PlainTiles.cuh - tiles of F32 and F64 -------------------*- C++ -*-===//
//
// A block has 16 x 16 threads. A thread has neighbouring rows of a tile, and
// every 16th of its columns, or groups of these; rows in shared memory are 16
// bytes longer than they need, so that those of neighbouring threads are in
// other banks.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_PLAINTILES_CUH
#define HOCKET_LIB_CUDA_ATTENTION_PLAINTILES_CUH

#include "runtime/lib/Cuda/Attention/AttentionParameters.h"
#include "runtime/lib/Cuda/Kernels/Groups.cuh"

namespace hocket::runtime::cuda {

/// Elements of 16 bytes, and of a row of a tile in shared memory.
template <class T> constexpr int groupOf = 16 / sizeof(T);
template <class T, int columns> constexpr int pitchOf = columns + groupOf<T>;

static __device__ inline int threadRow() { return threadIdx.x / 16; }
static __device__ inline int threadColumn() { return threadIdx.x % 16; }

/// Rows [first, first + rows) of a head; what is not there is zeros. It is
/// there after a barrier.
template <class T, int depth, int rows>
static __device__ inline void loadRows(T *tile, const HeadTensor &x,
                                       const T *head, int first, int count) {
  constexpr int n = groupOf<T>, groups = depth / n;
  for (int i = threadIdx.x; i < rows * groups; i += plainThreads) {
    int row = i / groups, column = i % groups * n;
    Group<T, n> group = {};
    if (first + row < count && column < x.extent) {
      const T *from = head + (first + row) * x.strides[2];
      if (x.hasGroups)
        group = loadGroup<T, n>(from + column);
      else
#pragma unroll
        for (int e = 0; e < n; ++e)
          if (column + e < x.extent)
            group.elements[e] = from[(column + e) * x.strides[3]];
    }
    storeGroup(tile + row * pitchOf<T, depth> + column, group);
  }
}

/// scores[i][j] = the product of rows threadRow() * R + i of the left tile and
/// threadColumn() + 16 j of the right one.
template <class T, int depth, int R, int C>
static __device__ inline void scoreRows(T (&scores)[R][C], const T *left,
                                        const T *right) {
  constexpr int n = groupOf<T>, pitch = pitchOf<T, depth>;
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int j = 0; j < C; ++j)
      scores[i][j] = 0;
#pragma unroll 1
  for (int d = 0; d < depth; d += n) {
    Group<T, n> a[R], b[C];
#pragma unroll
    for (int i = 0; i < R; ++i)
      a[i] = loadGroup<T, n>(left + (threadRow() * R + i) * pitch + d);
#pragma unroll
    for (int j = 0; j < C; ++j)
      b[j] = loadGroup<T, n>(right + (threadColumn() + 16 * j) * pitch + d);
#pragma unroll
    for (int e = 0; e < n; ++e)
#pragma unroll
      for (int i = 0; i < R; ++i)
#pragma unroll
        for (int j = 0; j < C; ++j)
          scores[i][j] += a[i].elements[e] * b[j].elements[e];
  }
}

/// A thread's part of [rows, depth]: groups of `width` columns, 16 * width
/// apart.
template <class T, int depth, int R> struct RowSums {
  static constexpr int width =
      depth / 16 < groupOf<T> ? depth / 16 : groupOf<T>;
  static constexpr int groups = depth / 16 / width;
  T sums[R][groups][width] = {};

  static __device__ int column(int group) {
    return (threadColumn() + 16 * group) * width;
  }

  /// += the rows of weights times the tile.
  template <int columns> __device__ void add(const T *weights, const T *tile) {
    const T *const all[] = {weights};
    addTo<columns, 1>(this, all, tile);
  }
  /// The same for n sums and their weights.
  template <int columns, int n>
  static __device__ void addTo(RowSums *all, const T *const *weights,
                               const T *tile) {
#pragma unroll 2
    for (int k = 0; k < columns; ++k) {
      T weight[n][R];
#pragma unroll
      for (int s = 0; s < n; ++s)
#pragma unroll
        for (int i = 0; i < R; ++i)
          weight[s][i] =
              weights[s][(threadRow() * R + i) * pitchOf<T, columns> + k];
#pragma unroll
      for (int m = 0; m < groups; ++m) {
        auto row =
            loadGroup<T, width>(tile + k * pitchOf<T, depth> + column(m));
#pragma unroll
        for (int s = 0; s < n; ++s)
#pragma unroll
          for (int i = 0; i < R; ++i)
#pragma unroll
            for (int e = 0; e < width; ++e)
              all[s].sums[i][m][e] += weight[s][i] * row.elements[e];
      }
    }
  }

  /// += one row of others, times a factor.
  __device__ void addRow(int i, const RowSums &others, T factor) {
#pragma unroll
    for (int m = 0; m < groups; ++m)
#pragma unroll
      for (int e = 0; e < width; ++e)
        sums[i][m][e] += factor * others.sums[i][m][e];
  }

  /// Rows [first, count) of a head = what is here, times the rows' factors.
  __device__ void store(const HeadTensor &x, T *head, int first, int count,
                        const T (&factors)[R]) const {
#pragma unroll
    for (int i = 0; i < R; ++i) {
      int row = first + threadRow() * R + i;
      if (row >= count)
        continue;
      T *to = head + row * x.strides[2];
#pragma unroll
      for (int m = 0; m < groups; ++m) {
        Group<T, width> group;
#pragma unroll
        for (int e = 0; e < width; ++e)
          group.elements[e] = sums[i][m][e] * factors[i];
        if (x.hasGroups && column(m) < x.extent)
          storeWhole(to + column(m), group);
        if (x.hasGroups)
          continue;
#pragma unroll
        for (int e = 0; e < width; ++e)
          if (column(m) + e < x.extent)
            to[(column(m) + e) * x.strides[3]] = group.elements[e];
      }
    }
  }
};

/// Of the 16 threads that share rows.
template <class T> static __device__ inline T sumOfRow(T value) {
#pragma unroll
  for (int step = 8; step; step /= 2)
    value += __shfl_xor_sync(~0u, value, step);
  return value;
}
template <class T> static __device__ inline T largestOfRow(T value) {
#pragma unroll
  for (int step = 8; step; step /= 2)
    value = max(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_PLAINTILES_CUH
