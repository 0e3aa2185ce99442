//===- Strided.h - walking tensors in another order ------------*- C++ -*-===//
//
// A view of a tensor is a list of sizes and, for each, the stride in elements:
// 0 repeats (broadcasting), swapped strides transpose. Reading a view in
// row-major order is all that shape operations do.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_REFERENCE_STRIDED_H
#define HOCKET_LIB_REFERENCE_STRIDED_H

#include "hocket/Reference/Evaluate.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket::reference {

using Indices = llvm::SmallVector<int64_t, 6>;

int64_t product(llvm::ArrayRef<int64_t> sizes);

/// Row-major: {2, 3, 4} gives {12, 4, 1}.
Indices denseStrides(llvm::ArrayRef<int64_t> sizes);

/// Strides that repeat a tensor of `shape` over `sizes`, aligned at the last
/// dim as in NumPy.
Indices broadcastStrides(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> sizes);

/// Calls visit(n, offset) for the n-th element of a view, in row-major order.
template <class Visit>
void forEachElement(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides, Visit visit) {
  int64_t count = product(sizes);
  int64_t inner = sizes.empty() ? 1 : sizes.back();
  int64_t step = sizes.empty() ? 0 : strides.back();
  Indices at(sizes.size(), 0);
  int64_t offset = 0; // of the row `at`
  for (int64_t n = 0; n < count; n += inner) {
    for (int64_t i = 0; i < inner; ++i)
      visit(n + i, offset + i * step);
    for (int64_t dim = int64_t(sizes.size()) - 2; dim >= 0; --dim) {
      offset += strides[dim];
      if (++at[dim] < sizes[dim])
        break;
      offset -= sizes[dim] * strides[dim];
      at[dim] = 0;
    }
  }
}

/// Reads a view into dense elements.
void copyView(const double *from, llvm::ArrayRef<int64_t> sizes,
              llvm::ArrayRef<int64_t> strides, double *to);

/// The tensor repeated to `shape`; the tensor itself, without a copy, if it has
/// that shape. `storage` holds the copy.
const double *broadcastTo(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                          std::vector<double> &storage);

} // namespace hocket::reference

#endif // HOCKET_LIB_REFERENCE_STRIDED_H
