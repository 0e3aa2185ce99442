//===- CudaInbox.cpp - inputs that come while a step runs -----------------===//

#include "runtime/lib/Cuda/Device/CudaInbox.h"
#include <algorithm>

namespace hocket::runtime::cuda {

/// For errors.
constexpr const char *theInputs = "the inputs of the next step";

CudaInbox::~CudaInbox() {
  if (!uploads || !stream.gpu.enter().ok())
    return;
  const Driver &api = stream.api;
  api->streamSynchronize(uploads);
  api->streamDestroy(uploads);
  for (Event event : {arrived, taken})
    if (event)
      api->eventDestroy(event);
  for (const Slot &slot : slots) {
    api->memFreeHost(slot.host);
    api->memFree(slot.beside);
  }
}

Status CudaInbox::open() {
  const Driver &api = stream.api;
  Status status = api.status(api->streamCreate(&uploads, StreamNonBlocking),
                             "cuStreamCreate", theInputs);
  for (Event *event : {&arrived, &taken})
    if (status.ok())
      status = api.status(api->eventCreate(event, EventDisableTiming),
                          "cuEventCreate", theInputs);
  return status;
}

Status CudaInbox::reserve(void *place, int64_t bytes) {
  const Driver &api = stream.api;
  Status status = stream.gpu.enter();
  if (status.ok() && !uploads)
    status = open();
  if (!status.ok() || bytes == 0)
    return status;
  Slot slot{
      reinterpret_cast<DeviceAddress>(place), 0, bytes, nullptr, false, false};
  const std::string text = std::to_string(bytes) + " bytes";
  status = api.status(
      api->memHostAlloc(&slot.host, size_t(bytes), HostAllocPortable),
      "cuMemHostAlloc", text + " of pinned memory for " + theInputs);
  if (!status.ok())
    return status;
  status = stream.gpu.allocate(size_t(bytes),
                               text + " on GPU '" + stream.gpu.name() +
                                   "' for " + theInputs,
                               slot.beside);
  if (!status.ok()) {
    api->memFreeHost(slot.host);
    return status;
  }
  stream.gpu.account().ofRanks += bytes;
  slots.push_back(slot);
  return status;
}

/// Waits until pinned memory is not read any more.
Status CudaInbox::settle() {
  Status status = stream.api.status(stream.api->streamSynchronize(uploads),
                                    "cuStreamSynchronize", theInputs);
  for (Slot &slot : slots)
    slot.isSent = false;
  return status;
}

Status CudaInbox::put(void *place, const std::function<Status(void *)> &fill) {
  auto slot = std::find_if(slots.begin(), slots.end(), [&](const Slot &each) {
    return each.place == reinterpret_cast<DeviceAddress>(place);
  });
  if (slot == slots.end()) // of no bytes
    return Status::success();
  const Driver &api = stream.api;
  Status status = stream.gpu.enter();
  if (status.ok() && slot->isSent)
    status = settle();
  if (status.ok())
    status = fill(slot->host);
  if (status.ok() && wasTaken)
    status = api.status(api->streamWaitEvent(uploads, taken, /*flags=*/0),
                        "cuStreamWaitEvent", theInputs);
  if (status.ok())
    status =
        api.status(api->memcpyHtoDAsync(slot->beside, slot->host,
                                        size_t(slot->bytes), uploads),
                   "cuMemcpyHtoDAsync",
                   std::to_string(slot->bytes) + " bytes for " + theInputs);
  slot->isSent = slot->isNew = status.ok();
  return status;
}

Status CudaInbox::take() {
  const Driver &api = stream.api;
  Status status = api.status(api->eventRecord(arrived, uploads),
                             "cuEventRecord", theInputs);
  if (status.ok())
    status = api.status(api->streamWaitEvent(stream.get(), arrived, 0),
                        "cuStreamWaitEvent", theInputs);
  for (Slot &slot : slots) {
    if (status.ok() && slot.isNew)
      status = stream.copy(slot.place, slot.beside, slot.bytes);
    slot.isNew = false;
  }
  if (status.ok())
    status = api.status(api->eventRecord(taken, stream.get()), "cuEventRecord",
                        theInputs);
  wasTaken = status.ok();
  return status;
}

void CudaInbox::stop() {
  if (uploads)
    stream.api->streamSynchronize(uploads);
}

} // namespace hocket::runtime::cuda
