//===- PlaceInStep.cpp - the collective that a GPU has come to ------------===//

#include "runtime/lib/Cuda/Nccl/PlaceInStep.h"
#include <numeric>

namespace hocket::runtime::cuda {

PlaceInStep::~PlaceInStep() {
  if (!stream.gpu.enter().ok())
    return;
  if (stream.get())
    stream.api->streamSynchronize(stream.get());
  if (numbers)
    stream.api->memFree(numbers);
  if (seen)
    stream.api->memFreeHost(const_cast<int64_t *>(seen));
}

Status PlaceInStep::reserve(int64_t count) {
  if (count <= reserved)
    return Status::success();
  int64_t places = 2 * count + 1, bytes = places * int64_t(sizeof(int64_t));
  Status status = stream.finish();
  if (!status.ok())
    return status;
  if (numbers)
    stream.api->memFree(numbers);
  numbers = 0;
  status = stream.gpu.allocate(
      size_t(bytes),
      std::to_string(bytes) + " bytes for the numbers of collectives", numbers);
  stream.gpu.account().tables += bytes - tableBytes;
  tableBytes = bytes;
  if (status.ok() && !seen) {
    void *place = nullptr;
    status = stream.api.status(
        stream.api->memHostAlloc(&place, sizeof(int64_t), HostAllocPortable),
        "cuMemHostAlloc", "the number of a collective");
    if (place)
      *static_cast<int64_t *>(place) = 0;
    seen = static_cast<const int64_t *>(place);
  }
  if (!status.ok())
    return status;
  reserved = count;
  return stream.copyIn(numbers, bytes, [&](void *host) {
    auto *first = static_cast<int64_t *>(host);
    std::iota(first, first + places, 0);
    return Status::success();
  });
}

Status PlaceInStep::say(int64_t place) {
  return stream.api.status(
      stream.api->memcpyDtoHAsync(const_cast<int64_t *>(seen),
                                  numbers + size_t(place) * sizeof(int64_t),
                                  sizeof(int64_t), stream.get()),
      "cuMemcpyDtoHAsync", "the number of a collective");
}

} // namespace hocket::runtime::cuda
