//===- Described.h - devices that the library plans for --------*- C++ -*-===//
//
// Without a GPU NVIDIA's library makes plans for a device that it is told of.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_DESCRIBED_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_DESCRIBED_H

#include <cstdint>
#include <string>

namespace hocket::test {

struct Chip {
  int number, multiprocessors, sharedBytes, l2Bytes, threads;
};

/// What the library wants to know of a device: all keys are needed.
inline std::string propertiesOf(const Chip &chip) {
  auto number = [](const char *key, int64_t value) {
    return std::string("\"") + key + "\": " + std::to_string(value) + ", ";
  };
  return "{" + number("deviceVer", chip.number) +
         number("multiProcessorCount", chip.multiprocessors) +
         number("maxSharedMemoryPerBlockOptin", chip.sharedBytes) +
         number("l2CacheSize", chip.l2Bytes) +
         number("maxThreadsPerSM", chip.threads) +
         number("maxThreadsPerBlock", 1024) + number("warpSize", 32) +
         number("maxSharedMemoryPerBlock", 49152) +
         number("reservedSharedMemoryPerBlock", 1024) +
         number("regsPerBlock", 65536) + number("maxRegistersPerSM", 65536) +
         number("maxCtasPerSM", 32) + number("supportCoopLaunch", 1) +
         number("isTccDriver", 0) + number("pciDeviceId", 0) +
         number("cudaDeviceId", 0) + number("driverVer", 13000) +
         number("smClockRateKHz", 1500000) +
         number("memClockRateKHz", 1600000) +
         number("totalGlobalMem", int64_t(80) << 30) +
         "\"maxGridSize\": [2147483647, 65535, 65535], "
         "\"maxBlockSize\": [1024, 1024, 64], "
         "\"deviceName\": \"a GPU\"}";
}

inline const Chip chips[] = {{800, 108, 166912, 40 << 20, 2048},
                             {900, 132, 232448, 50 << 20, 2048}};

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_DESCRIBED_H
