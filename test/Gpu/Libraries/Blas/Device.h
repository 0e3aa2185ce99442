//===- Device.h - the device that the look-alike computes on ---*- C++ -*-===//
//
// All that the look-alike of cuBLASLt wants of a driver. Without one, addresses
// are those of the host and work is done at once.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_DEVICE_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_DEVICE_H

#include "runtime/lib/Cuda/Driver/Api.h"
#include <cstdint>
#include <functional>
#include <string>

namespace hocket::lookalike {

/// Memory of a device as running work sees it. Both return false after a
/// finding, with nothing read or written.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  virtual bool read(uint64_t address, uint64_t bytes, void *to) = 0;
  virtual bool write(uint64_t address, uint64_t bytes, const void *from) = 0;
};

using Work = std::function<void(DeviceMemory &memory)>;

/// Puts work on a stream; a sentence if the stream does not take it.
std::string submit(runtime::cuda::Stream stream, const std::string &name,
                   Work work);

/// The device of the current context; `why` if there is none.
int currentDevice(std::string &why);

/// One line to the file or to stderr.
void report(const std::string &line);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_DEVICE_H
