//===- CudaStream.h - the stream of one rank -------------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDASTREAM_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDASTREAM_H

#include "runtime/lib/Cuda/Device/Gpu.h"
#include <functional>

namespace hocket::runtime::cuda {

/// For errors of a wait.
inline constexpr const char *whatIsWaitedFor = "what the GPU computes";

/// What a rank hands to its GPU runs in this order. Errors of what ran earlier
/// may come with any later call.
class CudaStream {
public:
  /// How to wait for what the stream was handed where that may wait for other
  /// processes.
  class Watch {
  public:
    virtual ~Watch() = default;
    virtual Status wait(CudaStream &stream) = 0;
  };

  explicit CudaStream(const Gpu &gpu) : gpu(gpu), api(gpu.driver()) {}
  ~CudaStream();
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;

  /// By the thread of the rank, first.
  Status open();
  Stream get() const { return stream; }

  /// Both copies may be called by a thread that is no rank, as long as the
  /// rank's does nothing.
  Status copyIn(DeviceAddress to, int64_t bytes,
                const std::function<Status(void *host)> &fill);
  Status copyOut(DeviceAddress from, int64_t bytes,
                 const std::function<Status(const void *host)> &use);
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes);
  Status zero(DeviceAddress to, int64_t bytes);
  /// Waits until all has run.
  Status finish();
  /// From here on finish() waits by it; null: by the driver alone.
  void setWatch(Watch *given) { watch = given; }

  const Gpu &gpu;
  const Driver &api;

private:
  Status growStage(int64_t bytes);

  Stream stream = nullptr;
  Watch *watch = nullptr;
  void *stage = nullptr; // pinned memory of the host
  int64_t stageBytes = 0;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDASTREAM_H
