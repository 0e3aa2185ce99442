//===- Neighborhood.h - launches of neighborhood attention -----*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_NEIGHBORHOOD_H
#define HOCKET_LIB_CUDA_ATTENTION_NEIGHBORHOOD_H

#include "hocket/Cpu/Neighborhood.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// What makeNeighborhood does: F64 in F64, other floats in F32. Fails on heads
/// of more than 256 elements, on operands of different types and on more than a
/// kernel counts.
Status addNeighborhood(const NeighborhoodArguments &arguments,
                       KernelLaunches &launches);

/// The same limits. Takes 12 bytes (F64: 24) of scratch for each query of each
/// head.
Status addNeighborhoodGrad(const NeighborhoodGradArguments &arguments,
                           KernelLaunches &launches);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_NEIGHBORHOOD_H
