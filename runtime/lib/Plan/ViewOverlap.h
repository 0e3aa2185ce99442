//===- ViewOverlap.h - whether two windows share a byte --------*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_VIEWOVERLAP_H
#define HOCKET_LIB_PLAN_VIEWOVERLAP_H

#include <cstdint>
#include <vector>

namespace hocket::plan {

/// Elements of `width` bytes at `begin` + sum of i_k * strides_k, all in bytes,
/// for each i in the box [0, shape); none where an extent is 0.
struct ByteWindow {
  int64_t begin, width;
  std::vector<int64_t> shape, strides;
};

/// Whether some byte is of both. Exact, without a visit to the elements: at
/// each stride, the widest first, few steps can bring the two together. True
/// also where that took more tries than are reasonable.
bool overlap(const ByteWindow &a, const ByteWindow &b);

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_VIEWOVERLAP_H
