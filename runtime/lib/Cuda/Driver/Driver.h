//===- Driver.h - the CUDA driver of this machine --------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DRIVER_DRIVER_H
#define HOCKET_RUNTIME_LIB_CUDA_DRIVER_DRIVER_H

#include "hocket/Runtime/Status.h"
#include "runtime/lib/Cuda/Driver/Api.h"
#include <string>

namespace hocket::runtime::cuda {

/// libcuda.so.1, which comes with NVIDIA's driver: found when the program
/// starts, so that it starts where there is none and can say so.
class Driver {
public:
  /// Loads and starts it once a process. The user's error where it is not
  /// there, is older than CUDA 12.0, or knows of no GPU.
  static Status open(const Driver *&driver);

  /// What `function` returned, called for `what`, as a status: "cuMemAlloc
  /// failed for 40 bytes: out of memory (CUDA_ERROR_OUT_OF_MEMORY)". An error
  /// that an earlier launch may have caused says so.
  Status status(Result result, const char *function,
                const std::string &what = "") const;

  DriverFunctions functions;
  const DriverFunctions *operator->() const { return &functions; }

private:
  Driver() = default;
  Status load();
  Status start();
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DRIVER_DRIVER_H
