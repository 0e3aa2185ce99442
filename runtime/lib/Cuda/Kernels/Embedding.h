//===- Embedding.h - launches of lookups and their gradients ---*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_EMBEDDING_H
#define HOCKET_LIB_CUDA_KERNELS_EMBEDDING_H

#include "hocket/Cpu/Simple.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"
#include "runtime/lib/Cuda/Kernels/LookupError.h"

namespace hocket::runtime::cuda {

/// What makeEmbedding does, to the bit, except that an id outside [0, vocab)
/// gives zeros and is told at `error`, the address of a LookupError in device
/// memory. Fails on 2^32 ids or more.
Status addEmbedding(const EmbeddingArguments &arguments, uint64_t error,
                    KernelLaunches &launches);

/// What makeEmbeddingGrad does. Equal ids are brought together by a stable
/// sort; F16 and BF16 are added in F32. Fails on Bool, and on what a kernel
/// cannot count.
Status addEmbeddingGrad(const EmbeddingGradArguments &arguments, uint64_t error,
                        KernelLaunches &launches);

/// The error that a CPU ends with: `input "ids" holds 7, which is outside [0,
/// 5)`; `name` and `vocab` are the arguments'.
Status statusOf(const LookupError &error, const std::string &name,
                int64_t vocab);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_EMBEDDING_H
