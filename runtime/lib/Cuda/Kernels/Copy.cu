//===- Copy.cu - copies, constants and ramps of strided windows -----------===//

#include "runtime/lib/Cuda/Kernels/CopyParameters.h"
#include "runtime/lib/Cuda/Kernels/Loops.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

constexpr int threads = 256, unitsOfThread = 4;

/// The number of a thread's unit; those of a warp lie next to one another.
static __device__ uint32_t unitAt(int i) {
  return (blockIdx.x * unitsOfThread + i) * threads + threadIdx.x;
}

template <class Unit> static __device__ void copy(const CopyParameters &p) {
  int64_t offsets[unitsOfThread][2];
  Unit units[unitsOfThread];
#pragma unroll
  for (int i = 0; i < unitsOfThread; ++i)
    if (uint32_t n = unitAt(i); n < p.loops.total) {
      offsetsAt(p.loops, n, offsets[i]);
      units[i] = *reinterpret_cast<const Unit *>(p.src + offsets[i][1]);
    }
#pragma unroll
  for (int i = 0; i < unitsOfThread; ++i)
    if (unitAt(i) < p.loops.total)
      *reinterpret_cast<Unit *>(p.dst + offsets[i][0]) = units[i];
}

template <class Unit> static __device__ void fill(const FillParameters &p) {
  Unit value = *reinterpret_cast<const Unit *>(p.value);
#pragma unroll
  for (int i = 0; i < unitsOfThread; ++i)
    if (uint32_t n = unitAt(i); n < p.loops.total) {
      int64_t offsets[1];
      offsetsAt(p.loops, n, offsets);
      *reinterpret_cast<Unit *>(p.dst + offsets[0]) = value;
    }
}

template <class T> struct From {
  static __device__ T number(double value) { return T(value); }
};
template <> struct From<__half> {
  static __device__ __half number(double value) {
    return __float2half_rn(float(value));
  }
};
template <> struct From<__nv_bfloat16> {
  static __device__ __nv_bfloat16 number(double value) {
    return __float2bfloat16_rn(float(value));
  }
};
template <> struct From<uint8_t> {
  static __device__ uint8_t number(double value) { return value != 0; }
};

template <class T> static __device__ void ramp(const RampParameters &p) {
#pragma unroll
  for (int i = 0; i < unitsOfThread; ++i)
    if (uint32_t n = unitAt(i); n < p.loops.total) {
      int64_t offsets[2];
      offsetsAt(p.loops, n, offsets);
      *reinterpret_cast<T *>(p.dst + offsets[0]) =
          From<T>::number(p.base + double(offsets[1]));
    }
}

/// Which tile of which outer window a block has.
struct Tile {
  int64_t row, column;
  int64_t offsets[2]; // bytes
};
template <int side>
static __device__ Tile tileOfBlock(const TransposeParameters &p) {
  uint32_t n = blockIdx.x, row = 0, column = 0;
  if (p.hasColumnTiles)
    column = divide(n, p.columnTiles);
  if (p.hasRowTiles)
    row = divide(n, p.rowTiles);
  Tile tile = {int64_t(row) * side, int64_t(column) * side, {}};
  offsetsAt(p.outer, n, tile.offsets);
  return tile;
}

/// Sixteen bytes on both sides. What a thread has read of a row of src it
/// scatters over rows of the tile, whose groups of 16 bytes are exchanged so
/// that scattering and gathering both meet all banks.
template <class T>
static __device__ void transposeGroups(const TransposeParameters &p) {
  constexpr int group = 16 / sizeof(T);
  constexpr int side = sizeof(T) == 1 ? 128 : sizeof(T) == 8 ? 32 : 64;
  constexpr int groups = side / group, lanes = 8, rowsAtOnce = threads / lanes;
  __shared__ __align__(16) T memory[side * side];
  auto place = [](int row, int column) {
    int mixed = column / group ^ (row / group & 7);
    return row * side + mixed * group + column % group;
  };
  Tile tile = tileOfBlock<side>(p);
  const int lane = threadIdx.x % lanes, first = threadIdx.x / lanes;
#pragma unroll
  for (int column = first; column < side; column += rowsAtOnce)
#pragma unroll
    for (int g = lane; g < groups; g += lanes) {
      int64_t i = tile.row + g * group, j = tile.column + column;
      if (i >= p.rows || j >= p.columns)
        continue;
      uint4 words = *reinterpret_cast<const uint4 *>(
          p.src + tile.offsets[1] + j * p.srcStep + i * int64_t(sizeof(T)));
#pragma unroll
      for (int e = 0; e < group; ++e)
        memory[place(g * group + e, column)] =
            reinterpret_cast<const T *>(&words)[e];
    }
  __syncthreads();
#pragma unroll
  for (int row = first; row < side; row += rowsAtOnce)
#pragma unroll
    for (int g = lane; g < groups; g += lanes) {
      int64_t i = tile.row + row, j = tile.column + g * group;
      if (i < p.rows && j < p.columns)
        *reinterpret_cast<uint4 *>(p.dst + tile.offsets[0] + i * p.dstStep +
                                   j * int64_t(sizeof(T))) =
            *reinterpret_cast<const uint4 *>(&memory[place(row, g * group)]);
    }
}

/// An element at a time, where addresses or extents are not whole groups.
template <class T>
static __device__ void transposeElements(const TransposeParameters &p) {
  constexpr int side = sizeof(T) == 1 ? 128 : sizeof(T) == 2 ? 64 : 32;
  constexpr int pitch = side + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);
  __shared__ __align__(16) T memory[side * pitch];
  Tile tile = tileOfBlock<side>(p);
  const int first = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int column = first; column < side; column += threads / 32)
#pragma unroll
    for (int row = lane; row < side; row += 32) {
      int64_t i = tile.row + row, j = tile.column + column;
      if (i < p.rows && j < p.columns)
        memory[row * pitch + column] = *reinterpret_cast<const T *>(
            p.src + tile.offsets[1] + j * p.srcStep + i * int64_t(sizeof(T)));
    }
  __syncthreads();
  for (int row = first; row < side; row += threads / 32)
#pragma unroll
    for (int column = lane; column < side; column += 32) {
      int64_t i = tile.row + row, j = tile.column + column;
      if (i < p.rows && j < p.columns)
        *reinterpret_cast<T *>(p.dst + tile.offsets[0] + i * p.dstStep +
                               j * int64_t(sizeof(T))) =
            memory[row * pitch + column];
    }
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, body, Parameters, T)                               \
  extern "C" __global__ void __launch_bounds__(256)                            \
      name(const __grid_constant__ Parameters p) {                             \
    body<T>(p);                                                                \
  }

HOCKET_KERNEL(copy1, copy, CopyParameters, uint8_t)
HOCKET_KERNEL(copy2, copy, CopyParameters, uint16_t)
HOCKET_KERNEL(copy4, copy, CopyParameters, uint32_t)
HOCKET_KERNEL(copy8, copy, CopyParameters, uint64_t)
HOCKET_KERNEL(copy16, copy, CopyParameters, uint4)
HOCKET_KERNEL(transposeGroups1, transposeGroups, TransposeParameters, uint8_t)
HOCKET_KERNEL(transposeGroups2, transposeGroups, TransposeParameters, uint16_t)
HOCKET_KERNEL(transposeGroups4, transposeGroups, TransposeParameters, uint32_t)
HOCKET_KERNEL(transposeGroups8, transposeGroups, TransposeParameters, uint64_t)
HOCKET_KERNEL(transposeElements1, transposeElements, TransposeParameters,
              uint8_t)
HOCKET_KERNEL(transposeElements2, transposeElements, TransposeParameters,
              uint16_t)
HOCKET_KERNEL(transposeElements4, transposeElements, TransposeParameters,
              uint32_t)
HOCKET_KERNEL(transposeElements8, transposeElements, TransposeParameters,
              uint64_t)
HOCKET_KERNEL(fill1, fill, FillParameters, uint8_t)
HOCKET_KERNEL(fill2, fill, FillParameters, uint16_t)
HOCKET_KERNEL(fill4, fill, FillParameters, uint32_t)
HOCKET_KERNEL(fill8, fill, FillParameters, uint64_t)
HOCKET_KERNEL(fill16, fill, FillParameters, uint4)
HOCKET_KERNEL(rampF32, ramp, RampParameters, float)
HOCKET_KERNEL(rampF64, ramp, RampParameters, double)
HOCKET_KERNEL(rampF16, ramp, RampParameters, __half)
HOCKET_KERNEL(rampBF16, ramp, RampParameters, __nv_bfloat16)
HOCKET_KERNEL(rampI32, ramp, RampParameters, int32_t)
HOCKET_KERNEL(rampI64, ramp, RampParameters, int64_t)
HOCKET_KERNEL(rampBool, ramp, RampParameters, uint8_t)
