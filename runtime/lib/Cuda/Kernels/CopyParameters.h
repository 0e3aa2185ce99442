//===- CopyParameters.h - what the kernels of Copy.cu take -----*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_COPYPARAMETERS_H
#define HOCKET_LIB_CUDA_KERNELS_COPYPARAMETERS_H

#include "runtime/lib/Cuda/Kernels/LoopParameters.h"

namespace hocket::runtime::cuda {

/// Units moved by blocks of 256 threads, 4 a thread. Strides: of dst, of src.
struct CopyParameters {
  uint64_t dst, src;
  Loops loops;
};

/// dst[i * dstStep + j] = src[j * srcStep + i] (elements), i < rows,
/// j < columns, for each of `outer`: a tile a block.
struct TransposeParameters {
  uint64_t dst, src;
  int64_t dstStep, srcStep; // bytes
  int64_t rows, columns;
  LoopDim rowTiles, columnTiles; // how many there are; strides are not used
  uint32_t hasRowTiles, hasColumnTiles; // 0: there is one
  Loops outer;
};

/// `value` is repeated to 16 bytes.
struct FillParameters {
  alignas(16) uint64_t value[2];
  uint64_t dst;
  Loops loops;
};

/// The element at (i, j, ...) becomes base + the sum of steps: strides of dst,
/// of the number.
struct RampParameters {
  uint64_t dst;
  double base;
  Loops loops;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_COPYPARAMETERS_H
