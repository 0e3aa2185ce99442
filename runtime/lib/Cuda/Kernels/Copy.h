//===- Copy.h - launches of copies, constants and ramps --------*- C++ -*-===//
//
// What makeCopy, makeFill and makeIota of hocket/Cpu/Simple.h do, to the bit.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_KERNELS_COPY_H
#define HOCKET_LIB_CUDA_KERNELS_COPY_H

#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// dst = src; equal shapes and types, windows that do not overlap. A stride of
/// src may be 0. Fails on windows of more than 16 dims that do not merge.
Status addCopy(const Operand &src, const Operand &dst,
               KernelLaunches &launches);

/// Every element of dst = value.
Status addFill(const Operand &dst, double value, KernelLaunches &launches);

/// dst[i0, ...] = first + i_dim.
Status addIota(const Operand &dst, int dim, int64_t first,
               KernelLaunches &launches);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_COPY_H
