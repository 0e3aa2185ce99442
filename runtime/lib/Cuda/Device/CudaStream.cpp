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
  Status status = api.status(
      api->memHostAlloc(&stage, size_t(bytes), HostAllocPortable),
      "cuMemHostAlloc", std::to_string(bytes) + " bytes of pinned memory");
  if (status.ok())
    stageBytes = bytes;
  return status;
}

/// "a copy of 40 bytes"
static std::string bytesOf(const char *what, int64_t bytes) {
  return std::string(what) + " of " + std::to_string(bytes) + " bytes";
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
                        "cuMemcpyHtoDAsync", bytesOf("an upload", bytes));
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
    status =
        api.status(api->memcpyDtoHAsync(stage, from, size_t(bytes), stream),
                   "cuMemcpyDtoHAsync", bytesOf("a download", bytes));
  if (status.ok())
    status = finish();
  return status.ok() ? use(stage) : status;
}

Status CudaStream::copy(DeviceAddress to, DeviceAddress from, int64_t bytes) {
  if (bytes == 0)
    return Status::success();
  return api.status(api->memcpyDtoDAsync(to, from, size_t(bytes), stream),
                    "cuMemcpyDtoDAsync", bytesOf("a copy", bytes));
}

Status CudaStream::zero(DeviceAddress to, int64_t bytes) {
  if (bytes == 0)
    return Status::success();
  return api.status(api->memsetD8Async(to, 0, size_t(bytes), stream),
                    "cuMemsetD8Async", bytesOf("zeros", bytes));
}

Status CudaStream::finish() {
  if (watch)
    return watch->wait(*this);
  return api.status(api->streamSynchronize(stream), "cuStreamSynchronize",
                    whatIsWaitedFor);
}

} // namespace hocket::runtime::cuda
