//===- Reduce.h - launches of ordered sums over ranks ----------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_REDUCE_H
#define HOCKET_LIB_CUDA_KERNELS_REDUCE_H

#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// What Reduce of hocket/Cpu/Reduce.h does with elements [begin, end), to the
/// bit. Fails on more than 16 terms, 16 dims that do not merge, or 2^31
/// elements.
Status addReduce(plan::Reduction reduction, const Operand &out,
                 const std::vector<Operand> &terms,
                 const std::vector<int> &order, int64_t begin, int64_t end,
                 KernelLaunches &launches);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_REDUCE_H
