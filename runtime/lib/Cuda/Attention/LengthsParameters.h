//===- LengthsParameters.h - what the kernel of lengths takes --*- C++ -*-===//
//
// Read by nvcc as well: no more than plain structs and numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_LENGTHSPARAMETERS_H
#define HOCKET_LIB_CUDA_ATTENTION_LENGTHSPARAMETERS_H

#include <stdint.h>

namespace hocket::runtime::cuda {

constexpr int lengthsThreads = 128;

/// See addAttentionLengths; strides in elements.
struct LengthsParameters {
  uint64_t keep, queryLengths, keyLengths, error;
  int64_t keepStrides[2];
  int32_t queries, keys;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_LENGTHSPARAMETERS_H
