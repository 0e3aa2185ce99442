//===- Boxes.cpp - boxes of dense tensors ---------------------------------===//

#include "hocket/Runtime/BoxRuns.h"
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
    if (cut.runs)
      box.runs.push_back({size_t(cut.dim),
                          {value(cut.runs->begin), value(cut.runs->first),
                           value(cut.runs->length), value(cut.runs->every)}});
  }
  return box;
}

void readBox(const void *global, plan::DType from, const Box &box,
             void *destination, plan::DType to) {
  int64_t fromBytes = plan::byteSize(from), toBytes = plan::byteSize(to);
  forEachRun(box, [&](int64_t source, int64_t target, int64_t count) {
    convert(static_cast<const char *>(global) + source * fromBytes, from,
            static_cast<char *>(destination) + target * toBytes, to, count);
    return true;
  });
}

void writeBox(void *global, const Box &box, const void *source,
              plan::DType type) {
  int64_t bytes = plan::byteSize(type);
  forEachRun(box, [&](int64_t target, int64_t from, int64_t count) {
    std::memcpy(static_cast<char *>(global) + target * bytes,
                static_cast<const char *>(source) + from * bytes,
                count * bytes);
    return true;
  });
}

} // namespace hocket::runtime
