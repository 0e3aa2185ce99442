//===- CudaStream.cpp - the stream of one rank ----------------------------===//

#include "runtime/lib/Cuda/Device/CudaStream.h"

namespace hocket::runtime::cuda {

CudaStream::~CudaStream() {
  if (!stream || !gpu.enter().ok())
    return;
  api->streamSynchronize(stream);
  api->streamDestroy(stream);
  if (stage)
    api->memFreeHost(stage);
}

Status CudaStream::open() {
  Status status = gpu.enter();
  if (status.ok())
    status = api.status(api->streamCreate(&stream, StreamNonBlocking),
                        "cuStreamCreate");
  return status;
}

Status CudaStream::growStage(int64_t bytes) {
  if (bytes <= stageBytes)
    return Status::success();
  if (stage)
    api->memFreeHost(stage);
  stage = nullptr;
  stageBytes = 0;
  Status status =
      api.status(api->memHostAlloc(&stage, size_t(bytes), HostAllocPortable),
                 "allocating " + std::to_string(bytes) +
                     " bytes of pinned memory on the host");
  if (status.ok())
    stageBytes = bytes;
  return status;
}

/// The stage is free again when all that was issued has run.
Status CudaStream::copyIn(DeviceAddress to, int64_t bytes,
                          const std::function<Status(void *)> &fill) {
  Status status = gpu.enter();
  if (status.ok())
    status = finish();
  if (status.ok())
    status = growStage(bytes);
  if (status.ok())
    status = fill(stage);
  if (status.ok() && bytes > 0)
    status = api.status(api->memcpyHtoDAsync(to, stage, size_t(bytes), stream),
                        "an upload");
  return status;
}

Status CudaStream::copyOut(DeviceAddress from, int64_t bytes,
                           const std::function<Status(const void *)> &use) {
  Status status = gpu.enter();
  if (status.ok())
    status = finish();
  if (status.ok())
    status = growStage(bytes);
  if (status.ok() && bytes > 0)
    status = api.status(
        api->memcpyDtoHAsync(stage, from, size_t(bytes), stream), "a download");
  if (status.ok())
    status = finish();
  return status.ok() ? use(stage) : status;
}

Status CudaStream::copy(DeviceAddress to, DeviceAddress from, int64_t bytes) {
  if (bytes == 0)
    return Status::success();
  return api.status(api->memcpyDtoDAsync(to, from, size_t(bytes), stream),
                    "a copy");
}

Status CudaStream::zero(DeviceAddress to, int64_t bytes) {
  if (bytes == 0)
    return Status::success();
  return api.status(api->memsetD8Async(to, 0, size_t(bytes), stream),
                    "filling memory with zeros");
}

Status CudaStream::finish() {
  if (watch)
    return watch->wait(*this);
  return api.status(api->streamSynchronize(stream), "what the GPU computes");
}

} // namespace hocket::runtime::cuda
