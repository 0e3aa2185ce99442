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
  Result result = Success;
  if (numbers)
    result = stream.api->memFree(numbers);
  numbers = 0;
  if (result == Success)
    result = stream.api->memAlloc(&numbers, size_t(bytes));
  void *place = nullptr;
  if (result == Success && !seen) {
    result =
        stream.api->memHostAlloc(&place, sizeof(int64_t), HostAllocPortable);
    if (place)
      *static_cast<int64_t *>(place) = 0;
    seen = static_cast<const int64_t *>(place);
  }
  if (result != Success)
    return stream.api.status(result, "allocating the numbers of collectives");
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
      "a download");
}

} // namespace hocket::runtime::cuda
