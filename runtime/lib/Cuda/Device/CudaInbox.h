//===- CudaInbox.h - inputs that come while a step runs --------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDAINBOX_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDAINBOX_H

#include "hocket/Runtime/Device.h"
#include "runtime/lib/Cuda/Device/CudaStream.h"

namespace hocket::runtime::cuda {

/// Uploads go by a stream of their own to memory beside the places; from there
/// the rank's stream copies them.
class CudaInbox : public Inbox {
public:
  explicit CudaInbox(CudaStream &stream) : stream(stream) {}
  ~CudaInbox() override;
  CudaInbox(const CudaInbox &) = delete;
  CudaInbox &operator=(const CudaInbox &) = delete;

  Status reserve(void *place, int64_t bytes) override;
  Status put(void *place, const std::function<Status(void *)> &fill) override;
  Status take() override;
  /// Waits until no upload is under way.
  void stop();

private:
  struct Slot {
    DeviceAddress place, beside;
    int64_t bytes;
    void *host;         // pinned memory
    bool isSent, isNew; // its memory may still be read; not taken yet
  };

  Status open();
  Status settle();

  CudaStream &stream; // of the rank
  Stream uploads = nullptr;
  Event arrived = nullptr, taken = nullptr;
  bool wasTaken = false;
  std::vector<Slot> slots;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDAINBOX_H
