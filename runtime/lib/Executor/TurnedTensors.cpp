//===- TurnedTensors.cpp - inputs and outputs that lie turned -------------===//

#include "runtime/lib/Executor/TurnedTensors.h"
#include "hocket/Runtime/RowMajor.h"
#include <algorithm>

namespace hocket::runtime {

/// So much is read or written at once.
static constexpr int64_t kPartBytes = int64_t(16) << 20;

void TurnedTensors::reserve(int64_t bytes) {
  bytes = std::min(bytes, kPartBytes);
  buffer.resize(std::max(buffer.size(), size_t(bytes)));
}

/// Calls use(part, first) for one part of a box after the other; in memory the
/// part begins `first` bytes behind the box.
template <typename Use>
static Status eachPart(const TurnedTensors::Turned &turned, Use use) {
  int64_t element = plan::byteSize(turned.type);
  for (const Box &part :
       partsOf(turned.box, turned.strides, kPartBytes / element)) {
    int64_t first = 0;
    for (size_t dim = 0; dim < turned.strides.size(); ++dim)
      first += (part.offset[dim] - turned.box.offset[dim]) *
               turned.strides[dim] * element;
    if (Status status = use(part, first); !status.ok())
      return status;
  }
  return Status::success();
}

Status TurnedTensors::read(const TensorSource &source, const Turned &turned,
                           char *host) {
  int64_t element = plan::byteSize(turned.type);
  return eachPart(turned, [&](const Box &part, int64_t first) {
    Status status =
        source.read(turned.tensor.name, part, turned.type, buffer.data());
    if (status.ok())
      fromRowMajor(buffer.data(), part.size, turned.strides, element,
                   host + first);
    return status;
  });
}

Status TurnedTensors::write(TensorSink &sink, const Turned &turned,
                            const char *host) {
  int64_t element = plan::byteSize(turned.type);
  return eachPart(turned, [&](const Box &part, int64_t first) {
    toRowMajor(host + first, part.size, turned.strides, element, buffer.data());
    return sink.write(turned.tensor.name, part, buffer.data());
  });
}

const void *TurnedTensors::whole(const Turned &turned, const void *host) {
  int64_t element = plan::byteSize(turned.type);
  size_t bytes = size_t(turned.box.elements() * element);
  buffer.resize(std::max(buffer.size(), bytes));
  toRowMajor(host, turned.box.size, turned.strides, element, buffer.data());
  return buffer.data();
}

} // namespace hocket::runtime
