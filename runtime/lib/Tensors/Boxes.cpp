//===- Boxes.cpp - boxes of dense tensors ---------------------------------===//

#include "hocket/Runtime/Tensors.h"
#include <cstring>

namespace hocket::runtime {

int64_t Box::elements() const {
  int64_t product = 1;
  for (int64_t extent : size)
    product *= extent;
  return product;
}

Box boxOf(const plan::Plan &plan, const plan::GlobalTensor &tensor,
          int64_t rank) {
  Box box;
  box.shape = tensor.shape;
  box.offset.assign(tensor.shape.size(), 0);
  box.size = tensor.shape;
  for (const plan::Cut &cut : tensor.cuts) {
    auto value = [&](int table) {
      const plan::Table &entry = plan.tables[table];
      return entry.values[plan.coordinate(rank, entry.axes)];
    };
    box.offset[cut.dim] = value(cut.offset);
    box.size[cut.dim] = value(cut.size);
  }
  return box;
}

/// Calls `visit(offset in the tensor, offset in the box, elements)` for each
/// contiguous run of `box`, in order.
template <typename Visit> static void forEachRun(const Box &box, Visit visit) {
  if (box.elements() == 0)
    return;
  // Dims from `inner` on are one run: whole, but for the first of them.
  size_t inner = box.shape.size();
  int64_t run = 1, pitch = 1;
  while (inner > 0) {
    --inner;
    run *= box.size[inner];
    pitch *= box.shape[inner];
    if (box.size[inner] != box.shape[inner])
      break;
  }
  int64_t start = 0, stride = 1;
  for (size_t dim = box.shape.size(); dim-- > 0;) {
    start += box.offset[dim] * stride;
    stride *= box.shape[dim];
  }
  std::vector<int64_t> index(inner, 0);
  for (int64_t done = 0;; done += run) {
    visit(start, done, run);
    int64_t step = pitch;
    size_t dim = inner;
    for (; dim-- > 0; step *= box.shape[dim]) {
      start += step;
      if (++index[dim] < box.size[dim])
        break;
      start -= step * box.size[dim];
      index[dim] = 0;
    }
    if (dim == static_cast<size_t>(-1))
      return;
  }
}

void readBox(const void *global, plan::DType from, const Box &box,
             void *destination, plan::DType to) {
  int64_t fromBytes = plan::byteSize(from), toBytes = plan::byteSize(to);
  forEachRun(box, [&](int64_t source, int64_t target, int64_t count) {
    convert(static_cast<const char *>(global) + source * fromBytes, from,
            static_cast<char *>(destination) + target * toBytes, to, count);
  });
}

void writeBox(void *global, const Box &box, const void *source,
              plan::DType type) {
  int64_t bytes = plan::byteSize(type);
  forEachRun(box, [&](int64_t target, int64_t from, int64_t count) {
    std::memcpy(static_cast<char *>(global) + target * bytes,
                static_cast<const char *>(source) + from * bytes,
                count * bytes);
  });
}

} // namespace hocket::runtime
