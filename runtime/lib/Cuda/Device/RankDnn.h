//===- RankDnn.h - cuDNN as a rank uses it ---------------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_RANKDNN_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_RANKDNN_H

#include "runtime/lib/Cuda/Device/Gpu.h"
#include "runtime/lib/Cuda/Device/SharedAlgorithms.h"
#include "runtime/lib/Cuda/Dnn/DnnLibrary.h"
#include <memory>

namespace hocket::runtime::cuda {

using SharedDnn = SharedAlgorithms<DnnLibrary>;

/// The library's state of one rank, once something is computed by it.
class RankDnn {
public:
  RankDnn(SharedDnn &shared, const Gpu &gpu) : shared(shared), gpu(gpu) {}

  /// `what` needs it, in errors: "convolutions".
  Status open(const char *what) {
    if (dnn)
      return Status::success();
    const DnnLibrary *library = nullptr;
    Status status = shared.open(library);
    if (!status.ok()) {
      status.message = std::string("for ") + what + " " + status.message;
      return status;
    }
    auto made = std::make_unique<Dnn>(*library);
    status = made->open();
    if (status.ok())
      dnn = std::move(made);
    return gpu.withFreeMemory(status);
  }
  /// After that.
  const Dnn &get() const { return *dnn; }

  SharedDnn &shared;

private:
  const Gpu &gpu;
  std::unique_ptr<Dnn> dnn;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_RANKDNN_H
