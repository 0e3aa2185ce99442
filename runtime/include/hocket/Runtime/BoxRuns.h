//===- BoxRuns.h - the contiguous stretches of a box -----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_BOXRUNS_H
#define HOCKET_RUNTIME_BOXRUNS_H

#include "hocket/Runtime/Tensors.h"

namespace hocket::runtime {

/// Calls `visit(begin, done, count)` for each stretch of `count` elements of
/// `box` that lie together in the tensor, at element `begin` of it, `done`
/// being the elements visited before; in row-major order, until `visit`
/// returns false.
template <typename Visitor> void forEachRun(const Box &box, Visitor &&visit) {
  if (box.elements() == 0)
    return;
  // Trailing dims that are taken whole lie together with the last cut one.
  size_t outer = box.shape.size();
  int64_t run = 1;
  while (outer > 0) {
    --outer;
    run *= box.size[outer];
    if (box.size[outer] != box.shape[outer])
      break;
  }
  std::vector<int64_t> strides(box.shape.size(), 1);
  int64_t begin = 0;
  for (size_t i = box.shape.size(); i-- > 0;) {
    if (i + 1 < box.shape.size())
      strides[i] = strides[i + 1] * box.shape[i + 1];
    begin += box.offset[i] * strides[i];
  }
  std::vector<int64_t> index(outer, 0);
  for (int64_t done = 0; visit(begin, done, run); done += run) {
    size_t dim = outer;
    while (dim > 0 && ++index[dim - 1] == box.size[dim - 1]) {
      begin -= (box.size[dim - 1] - 1) * strides[dim - 1];
      index[--dim] = 0;
    }
    if (dim == 0)
      return;
    begin += strides[dim - 1];
  }
}

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_BOXRUNS_H
