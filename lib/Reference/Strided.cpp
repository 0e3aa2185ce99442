//===- Strided.cpp - walking tensors in another order ---------------------===//

#include "Strided.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace hocket::reference {

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Indices denseStrides(ArrayRef<int64_t> sizes) {
  Indices strides(sizes.size());
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0; stride *= sizes[dim])
    strides[dim] = stride;
  return strides;
}

Indices broadcastStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  Indices strides(sizes.size(), 0), dense = denseStrides(shape);
  size_t missing = sizes.size() - shape.size();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1)
      strides[missing + dim] = dense[dim];
  return strides;
}

void copyView(const double *from, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> strides, double *to) {
  forEachElement(sizes, strides,
                 [=](int64_t n, int64_t offset) { to[n] = from[offset]; });
}

const double *broadcastTo(const Tensor &x, ArrayRef<int64_t> shape,
                          std::vector<double> &storage) {
  if (ArrayRef<int64_t>(x.shape) == shape)
    return x.values.data();
  storage.resize(product(shape));
  copyView(x.values.data(), shape, broadcastStrides(x.shape, shape),
           storage.data());
  return storage.data();
}

} // namespace hocket::reference
