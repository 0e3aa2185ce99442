//===- Tiles.cuh - tiles of 16-bit floats in shared memory -----*- C++ -*-===//
//
// A tile has rows of `depth` elements in shared memory, whose groups of 16
// bytes are exchanged by row, so that eight rows at one place of a row are in
// all banks.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_TILES_CUH
#define HOCKET_LIB_CUDA_ATTENTION_TILES_CUH

#include "runtime/lib/Cuda/Attention/AttentionParameters.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

static __device__ inline uint32_t sharedAddress(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

/// Where group `group` of a row is in a tile, in elements.
template <int depth>
static __device__ constexpr int groupAt(int row, int group) {
  constexpr int groups = depth / 8;
  int mixed = groups >= 8 ? group ^ (row & 7) : group ^ (row >> 1 & 3);
  return row * depth + mixed * 8;
}

/// Copies 16 bytes, or zeros, without waiting.
static __device__ inline void copyGroup(void *to, const void *from,
                                        bool isThere) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(to)),
      "l"(from), "r"(isThere ? 16 : 0)
      : "memory");
}
/// The same of 4 bytes.
static __device__ inline void copyWord(void *to, const void *from,
                                       bool isThere) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(sharedAddress(to)),
      "l"(from), "r"(isThere ? 4 : 0)
      : "memory");
}
static __device__ inline void waitForCopies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// What loadTile does for a head whose rows are no whole groups.
template <int depth, int rows, class T>
static __device__ inline void loadElements(T *tile, const HeadTensor &x,
                                           const T *head, int first,
                                           int count) {
  constexpr int groups = depth / 8;
#pragma unroll 1
  for (int i = threadIdx.x; i < rows * groups; i += halfThreads) {
    int row = i / groups, column = i % groups * 8;
    uint4 words = {};
    T *elements = reinterpret_cast<T *>(&words);
    if (first + row < count) {
      const T *from = head + (first + row) * x.strides[2];
#pragma unroll
      for (int e = 0; e < 8; ++e)
        if (column + e < x.extent)
          elements[e] = from[(column + e) * x.strides[3]];
    }
    *reinterpret_cast<uint4 *>(tile + groupAt<depth>(row, i % groups)) = words;
  }
}

/// Rows [first, first + rows) of a head become a tile; what is not there is
/// zeros. It is there after waitForCopies() of all threads and a barrier.
template <int depth, int rows, class T>
static __device__ inline void loadTile(T *tile, const HeadTensor &x,
                                       const T *head, int first, int count) {
  constexpr int groups = depth / 8, step = halfThreads / groups;
  static_assert(rows % step == 0, "all threads copy as many groups");
  if (!x.hasGroups)
    return loadElements<depth, rows>(tile, x, head, first, count);
  const int row = threadIdx.x / groups, group = threadIdx.x % groups;
  const int left = group * 8 < x.extent ? count - first - row : 0;
  const T *from = head + (first + row) * x.strides[2] + group * 8;
#pragma unroll
  for (int r = 0; r < rows; r += step) {
    copyGroup(tile + groupAt<depth>(row + r, group), from, r < left);
    from += step * x.strides[2];
  }
}

/// Rows [row0, row0 + rows) of a tile, of a warp, back to a head.
template <int depth, int rows, class T>
static __device__ inline void storeRows(const T *tile, int row0,
                                        const HeadTensor &x, T *head, int first,
                                        int count) {
  constexpr int groups = depth / 8;
  for (int i = threadIdx.x % 32; i < rows * groups; i += 32) {
    int row = row0 + i / groups, column = i % groups * 8;
    if (first + row >= count || column >= x.extent)
      continue;
    T *to = head + (first + row) * x.strides[2];
    uint4 words = *reinterpret_cast<const uint4 *>(
        tile + groupAt<depth>(row, i % groups));
    if (x.hasGroups) {
      *reinterpret_cast<uint4 *>(to + column) = words;
      continue;
    }
    const T *elements = reinterpret_cast<const T *>(&words);
#pragma unroll
    for (int e = 0; e < 8; ++e)
      if (column + e < x.extent)
        to[(column + e) * x.strides[3]] = elements[e];
  }
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_TILES_CUH
