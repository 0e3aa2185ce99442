//===- Launches.h - launches of the runtime's own kernels ------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_LAUNCHES_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_LAUNCHES_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// KernelLaunches whose kernels have been found; they run in a rank's stream,
/// one after the other.
class Launches {
public:
  explicit Launches(CudaStream &stream) : stream(stream) {}
  ~Launches();
  Launches(const Launches &) = delete;
  Launches &operator=(const Launches &) = delete;

  /// Before the first run. Tables come into memory of the GPU that is theirs.
  Status prepare(KernelLaunches what);
  Status run();

private:
  Status placeTables();

  CudaStream &stream;
  KernelLaunches launches;
  std::vector<Function> functions; // by launch
  DeviceAddress tables = 0;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_LAUNCHES_H
