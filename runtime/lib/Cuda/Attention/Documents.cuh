//===- Documents.cuh - which document a row or a column is of --*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_DOCUMENTS_CUH
#define HOCKET_LIB_CUDA_ATTENTION_DOCUMENTS_CUH

#include "runtime/lib/Cuda/Attention/TileParameters.h"

namespace hocket::runtime::cuda {

/// Of one that is there.
static __device__ inline int64_t documentOf(const DocumentIds &ids, int64_t b,
                                            int64_t i) {
  const int64_t at = b * ids.strides[0] + i * ids.strides[1];
  return ids.isWide ? reinterpret_cast<const int64_t *>(ids.data)[at]
                    : reinterpret_cast<const int32_t *>(ids.data)[at];
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_DOCUMENTS_CUH
