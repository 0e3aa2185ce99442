//===- OwnGpus.h - a GPU for each process ----------------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_OWNGPUS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_OWNGPUS_H

#include "hocket/Runtime/Processes.h"
#include "runtime/lib/Cuda/Device/Gpu.h"

namespace hocket::runtime::cuda {

/// What is to be known of a process's GPU, to tell whether it has it alone.
struct ChosenGpu {
  std::string machine; // the host's name
  std::string name;    // of the GPU
  std::string uuid;    // of the device
  std::string place;   // in the machine: that of its card
  int64_t visible = 0; // to the process
};

/// The user's error where two of `gpus`, by process, are one device or slices
/// of one GPU, for which NCCL has no way.
Status checkOwnGpus(const std::vector<ChosenGpu> &gpus);

/// The same of all processes, which all call it with theirs.
Status requireOwnGpus(const Gpu &gpu, Processes &processes);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_OWNGPUS_H
