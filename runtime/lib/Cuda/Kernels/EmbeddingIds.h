//===- EmbeddingIds.h - what lookups and gradients ask of ids --*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_EMBEDDINGIDS_H
#define HOCKET_LIB_CUDA_KERNELS_EMBEDDINGIDS_H

#include "hocket/Runtime/Call.h"

namespace hocket::runtime::cuda {

/// Fails if a place among the ids does not fit a LookupError.
Status checkIds(const Operand &ids);

/// The end of the name of a kernel that reads them.
const char *idSuffix(const Operand &ids);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_EMBEDDINGIDS_H
