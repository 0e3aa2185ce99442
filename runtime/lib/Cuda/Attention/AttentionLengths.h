//===- AttentionLengths.h - how many keys padding leaves -------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_ATTENTIONLENGTHS_H
#define HOCKET_LIB_CUDA_ATTENTION_ATTENTIONLENGTHS_H

#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"
#include "runtime/lib/Cuda/Kernels/LookupError.h"

namespace hocket::runtime::cuda {

/// Fills `queryLengths` [B] of i32 with `queries`, and `keyLengths` with how
/// many keys of `keep` [B, T] each batch entry shows. One that shows none, or a
/// key behind one that it hides, is left in the record at `error`: its place is
/// the batch entry, its id the last key that is shown, or -1.
void addAttentionLengths(const Operand &keep, int64_t queries,
                         void *queryLengths, void *keyLengths, uint64_t error,
                         KernelLaunches &launches);

/// What such a record says.
Status statusOfPadding(const LookupError &error);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_ATTENTIONLENGTHS_H
