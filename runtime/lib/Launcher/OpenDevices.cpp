//===- OpenDevices.cpp - what a program runs on, with its code ------------===//

#include "hocket/Cuda/Devices.h"
#include "hocket/Launcher/Pack.h"

namespace hocket::runtime {

Status openDevices(const plan::Plan &plan, const uint8_t *kernels,
                   size_t kernelsSize, Processes &processes,
                   std::shared_ptr<const Devices> &devices) {
  if (plan.target == plan::Target::Cuda)
    return openCudaDevices(kernels, kernelsSize, processes, devices);
  return openCpuDevices(plan, kernels, kernelsSize, processes, devices);
}

} // namespace hocket::runtime
