//===- RowMajor.h - elements in another memory order, turned ---*- C++ -*-===//

#ifndef HOCKET_RUNTIME_ROWMAJOR_H
#define HOCKET_RUNTIME_ROWMAJOR_H

#include "hocket/Runtime/Tensors.h"

namespace hocket::runtime {

/// Writes elements of 1, 2, 4 or 8 bytes that lie with these strides, in
/// elements, to dense row-major memory.
void toRowMajor(const void *from, const std::vector<int64_t> &sizes,
                const std::vector<int64_t> &strides, int64_t elementBytes,
                void *to);

/// The other way round: writes dense row-major elements to where these strides
/// have them.
void fromRowMajor(const void *from, const std::vector<int64_t> &sizes,
                  const std::vector<int64_t> &strides, int64_t elementBytes,
                  void *to);

/// Boxes of at most so many elements, at least one, that lie one after the
/// other in the memory of `box` with these strides, and make it up.
std::vector<Box> partsOf(const Box &box, const std::vector<int64_t> &strides,
                         int64_t most);

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_ROWMAJOR_H
