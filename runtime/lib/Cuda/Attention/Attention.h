//===- Attention.h - launches of attention and its gradient ----*- C++ -*-===//
//
// What makeAttention and makeAttentionGrad do, in memory linear in the
// sequence, with the same results at each run.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_ATTENTION_H
#define HOCKET_LIB_CUDA_ATTENTION_ATTENTION_H

#include "hocket/Cpu/Attention.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// F16 and BF16 on tensor cores with sums in F32, F32 and F64 in themselves.
/// Heads of up to 256 elements; those of other than 32, 64, 128 and 256 are
/// computed as the next of these. Fails on longer heads, on operands of
/// different types, and on more than a kernel counts.
Status addAttention(const AttentionArguments &arguments,
                    KernelLaunches &launches);

/// The same limits. F16 and BF16: the mean of a row's gradients of weights is
/// that of dout * out, and P and dS are rounded to the operands' type for their
/// products. Takes 4 bytes (F32: 12, F64: 24) of scratch for each query of each
/// head.
Status addAttentionGrad(const AttentionGradArguments &arguments,
                        KernelLaunches &launches);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_ATTENTION_H
