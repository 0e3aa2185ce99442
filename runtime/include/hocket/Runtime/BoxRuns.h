//===- BoxRuns.h - the contiguous stretches of a box -----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_BOXRUNS_H
#define HOCKET_RUNTIME_BOXRUNS_H

#include "hocket/Runtime/Tensors.h"
#include <algorithm>

namespace hocket::runtime {

/// Calls `visit(begin, done, count)` for each stretch of `count` elements of
/// `box` that lie together in the tensor, at element `begin` of it, `done`
/// being the elements visited before; in row-major order of the box, until
/// `visit` returns false.
template <typename Visitor> void forEachRun(const Box &box, Visitor &&visit) {
  if (box.elements() == 0)
    return;
  if (box.shape.empty()) {
    visit(int64_t(0), int64_t(0), int64_t(1));
    return;
  }
  std::vector<const plan::Runs *> runs(box.shape.size(), nullptr);
  for (const auto &[dim, its] : box.runs)
    runs[dim] = &its;
  // Trailing dims that are taken whole lie together with the last cut one.
  size_t last = box.shape.size() - 1;
  int64_t inner = 1; // elements of one entry of it
  for (; last > 0 && box.size[last] == box.shape[last] && !runs[last]; --last)
    inner *= box.shape[last];
  std::vector<int64_t> strides(last + 1, inner), index(last + 1, 0);
  for (size_t dim = last; dim-- > 0;)
    strides[dim] = strides[dim + 1] * box.shape[dim + 1];
  auto place = [&](size_t dim) {
    int64_t number = box.offset[dim] + index[dim];
    return (runs[dim] ? runs[dim]->placeOf(number) : number) * strides[dim];
  };
  std::vector<int64_t> begins(last + 1, 0); // by the dims before each
  auto settle = [&](size_t dim) {
    for (; dim < last; ++dim)
      begins[dim + 1] = begins[dim] + place(dim);
  };
  settle(0);
  for (int64_t done = 0;;) {
    int64_t count = box.size[last] - index[last];
    if (runs[last])
      count =
          std::min(count, runs[last]->together(box.offset[last] + index[last]));
    if (!visit(begins[last] + place(last), done, count * inner))
      return;
    done += count * inner;
    index[last] += count;
    size_t dim = last;
    while (dim > 0 && index[dim] == box.size[dim]) { // as an odometer
      index[dim] = 0;
      ++index[--dim];
    }
    if (index[dim] == box.size[dim])
      return;
    settle(dim);
  }
}

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_BOXRUNS_H
