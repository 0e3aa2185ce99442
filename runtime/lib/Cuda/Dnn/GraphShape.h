//===- GraphShape.h - extents and strides of a graph's tensor --*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_GRAPHSHAPE_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_GRAPHSHAPE_H

#include "runtime/lib/Cuda/Dnn/Api.h"
#include <cstdint>
#include <vector>

namespace hocket::runtime::cuda {

/// Extents and strides of a tensor, in elements.
struct GraphShape {
  std::vector<int64_t> extents, strides;

  /// Row-major.
  static GraphShape dense(const std::vector<int64_t> &extents);
  /// The last two dims exchanged.
  GraphShape transposed() const;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_GRAPHSHAPE_H
