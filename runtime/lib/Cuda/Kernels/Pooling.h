//===- Pooling.h - launches of pooling and its gradient --------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_POOLING_H
#define HOCKET_LIB_CUDA_KERNELS_POOLING_H

#include "hocket/Cpu/Pooling.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// What makePooling does, in the same order of sums, also among equal values.
/// Fails on spatial dims of 2^21 positions or more.
Status addPooling(const PoolingArguments &arguments, KernelLaunches &launches);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_POOLING_H
