//===- WindowParts.h - parts of windows and how dense they are -*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_WINDOWPARTS_H
#define HOCKET_LIB_COMMUNICATOR_WINDOWPARTS_H

#include "hocket/Runtime/Communicator.h"
#include <functional>
#include <numeric>

namespace hocket::runtime {

/// Elements of it.
inline int64_t countOf(const Window &window) {
  return std::accumulate(window.shape.begin(), window.shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Of memory that is row-major and without gaps.
inline std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

inline Window denseWindow(char *data, const std::vector<int64_t> &shape) {
  return {data, shape, denseStrides(shape)};
}

inline bool isDense(const Window &window) {
  std::vector<int64_t> strides = denseStrides(window.shape);
  for (size_t i = 0; i < strides.size(); ++i)
    if (window.shape[i] != 1 && window.strides[i] != strides[i])
      return false;
  return true;
}

/// Entries first, first + step, ... of a dim.
inline Window slab(Window window, int dim, int64_t first, int64_t count,
                   int64_t elementBytes, int64_t step = 1) {
  window.data = static_cast<char *>(window.data) +
                first * window.strides[dim] * elementBytes;
  window.shape[dim] = count;
  window.strides[dim] *= step;
  return window;
}

/// What a member has of a shared dim.
inline Window partOf(const Window &window, const Share &share, int64_t member,
                     int64_t elementBytes) {
  return slab(window, share.dim, share.offset[member], share.size[member],
              elementBytes);
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_WINDOWPARTS_H
