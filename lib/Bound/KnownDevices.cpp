//===- KnownDevices.cpp - GPUs as their data sheets describe them ---------===//
//
// NVLink's rates are half of those of the data sheets, which add up both
// directions; rates of matrix units are those without sparsity. What lies
// between two launches of a graph is 0.5 us: 3.4 us a kernel of 2.9 us, as
// "Getting Started with CUDA Graphs" (NVIDIA Technical Blog, 2019) measures on
// a V100; no data sheet says it.
//
//===----------------------------------------------------------------------===//

#include "hocket/Bound/DescribedDevice.h"

namespace hocket::bound {

const std::vector<DescribedDevice> &knownDevices() {
  constexpr double launch = 0.5e-6;
  // name, source, memory, halfMatrix, f64Matrix, f32, f64, link, launch,
  // multiprocessors
  static const std::vector<DescribedDevice> devices = {
      {"h100", "NVIDIA H100 Tensor Core GPU data sheet, H100 SXM", 3.35e12,
       989e12, 67e12, 67e12, 34e12, 450e9, launch, 132},
      {"h100-pcie", "NVIDIA H100 Tensor Core GPU data sheet, H100 PCIe", 2e12,
       756e12, 51e12, 51e12, 26e12, 300e9, launch, 114},
      {"h200", "NVIDIA H200 Tensor Core GPU data sheet, H200 SXM", 4.8e12,
       989e12, 67e12, 67e12, 34e12, 450e9, launch, 132},
      {"a100", "NVIDIA A100 Tensor Core GPU data sheet, A100 80GB SXM",
       2.039e12, 312e12, 19.5e12, 19.5e12, 9.7e12, 300e9, launch, 108},
      {"b200", "NVIDIA Blackwell architecture technical brief, HGX B200", 8e12,
       2250e12, 40e12, 80e12, 40e12, 900e9, launch, 148},
  };
  return devices;
}

const std::vector<DeviceNumber> &deviceNumbers() {
  static const std::vector<DeviceNumber> numbers = {
      {"memory", &DescribedDevice::memory},
      {"half_matrix", &DescribedDevice::halfMatrix},
      {"f64_matrix", &DescribedDevice::f64Matrix},
      {"f32", &DescribedDevice::f32},
      {"f64", &DescribedDevice::f64},
      {"link", &DescribedDevice::link},
      {"launch", &DescribedDevice::launch},
      {"multiprocessors", &DescribedDevice::multiprocessors},
  };
  return numbers;
}

} // namespace hocket::bound
