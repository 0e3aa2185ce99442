//===- NeighborhoodParameters.h - what Neighborhood.cu takes ---*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_NEIGHBORHOODPARAMETERS_H
#define HOCKET_LIB_CUDA_ATTENTION_NEIGHBORHOODPARAMETERS_H

#include <stdint.h>

namespace hocket::runtime::cuda {

/// [batch, head, 3 dims, element]; strides in elements.
struct GridTensor {
  uint64_t data;
  int64_t strides[6];
};

/// See plan::Neighborhood; where this rank's queries and keys begin.
struct WindowDim {
  int32_t extent, kernel, stride, dilation, isCausal;
  int32_t queries, keys; // held here
  int32_t queryOffset, keyOffset;
  int32_t unused;
};

/// Missing dims come first and have one position.
struct NeighborhoodParameters {
  GridTensor q, k, v, out, dout, dq, dk, dv;
  uint64_t lse;  // 0: absent
  uint64_t left; // of a gradient: [3, B, H, 3 dims] dense, see Neighborhood.cu
  int64_t lseStrides[5];
  WindowDim dims[3];
  int64_t heads, kvHeads, group, headOffset, kvHeadOffset;
  double scale;
  int32_t depth, width;
  uint32_t rows; // of queries or, for gradients of keys, of keys
  uint32_t allQueries;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_NEIGHBORHOODPARAMETERS_H
