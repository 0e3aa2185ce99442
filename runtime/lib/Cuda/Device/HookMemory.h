//===- HookMemory.h - what hooks of a rank have of its GPU -----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_HOOKMEMORY_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_HOOKMEMORY_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Device/HookCall.h"

namespace hocket::runtime::cuda {

/// All hooks of a rank run in its stream, one after the other, and so have one
/// scratch.
class HookMemory : public HookDevice {
public:
  /// `allocate` gives memory that lives as long as the device.
  using Allocate = std::function<Status(int64_t bytes, const std::string &what,
                                        DeviceAddress &place)>;
  HookMemory(CudaStream &stream, Allocate allocate)
      : computes(stream), allocate(std::move(allocate)) {}
  ~HookMemory() override;

  void *stream() const override { return computes.get(); }
  /// A larger one is another one: graphs go on using the smaller.
  Status scratch(size_t number, int64_t bytes, void *&place) override;
  Status check(const std::string &hook) override;

private:
  struct Piece {
    DeviceAddress place = 0;
    int64_t bytes = 0;
  };

  CudaStream &computes;
  Allocate allocate;
  std::vector<Piece> pieces; // by number
  Event event = nullptr;     // of check
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_HOOKMEMORY_H
