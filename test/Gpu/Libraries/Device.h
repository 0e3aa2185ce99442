//===- Device.h - the device that look-alikes compute on -------*- C++ -*-===//
//
// All that look-alikes of libraries want of a driver: that of libcuda.so.1
// that looks alike, if the process has loaded it. Without one, addresses are
// those of the host and work is done at once.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DEVICE_H
#define HOCKET_TEST_GPU_LIBRARIES_DEVICE_H

#include "runtime/lib/Cuda/Driver/Api.h"
#include "test/Gpu/Driver/Lookalike.h"
#include <functional>
#include <string>
#include <vector>

namespace hocket::lookalike {

/// Memory of a device as running work sees it. Both return false after a
/// finding, with nothing read or written.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  virtual bool read(uint64_t address, uint64_t bytes, void *to) = 0;
  virtual bool write(uint64_t address, uint64_t bytes, const void *from) = 0;
  /// Bytes of the work's `writes` lose their values.
  virtual void forget(uint64_t address, uint64_t bytes) = 0;
  /// A finding: what the work does.
  virtual void find(const std::string &what) = 0;
};

struct Work {
  std::string name;
  std::vector<HocketLookalikeRange> reads, writes;
  std::function<void(DeviceMemory &memory)> run;
  /// None, or whether it can run now.
  std::function<bool()> isReady;
  /// None, or called each time that it is put into a stream.
  std::function<void()> issued;
  bool isOfAnyContext = false; ///< whatever the current context is
};

/// Puts work on a stream; the driver's code.
int submit(const char *function, runtime::cuda::Stream stream, Work work);

/// Counts a call; the code that a test wants it to fail with, or 0.
int countCall(const char *function);

/// The device of the current context, -1 without one; `device` where there is
/// no driver.
int currentDevice(int device);

/// By which device libraries order what they offer: each device its own way, or
/// all alike, as HOCKET_LOOKALIKE_ALIKE says.
int tasteOf(int device);

/// What a library says that its version is: what HOCKET_LOOKALIKE_`library`_
/// VERSION says, else `usual`.
size_t versionOf(const char *library, size_t usual);

/// Whether what is put on the stream is captured into a graph.
bool isCapturing(runtime::cuda::Stream stream);

/// Threads that wait for work look whether it is ready.
void wakeDriver();

/// The device goes on by one operation, if any can run. It has failed after an
/// error that nothing can follow.
enum class Step { Ran, None, Failed };
Step stepDriver();
bool hasDriverFailed();

/// The address of a byte that look-alikes keep for themselves, or 0 without a
/// driver.
uint64_t keepByte(int device, const std::string &name);

/// Whether the bytes are within one allocation; true without a driver.
bool isAllocated(uint64_t address, uint64_t bytes);

/// Memory of the current device, or null; it is freed, or cannot be.
void *allocateMemory(size_t bytes);
bool freeMemory(void *place);

/// Tells the driver of a call that the program should not have made; without a
/// driver, one line to the file or to stderr.
void tell(const std::string &sentence);
/// The same at the end of the process.
void tellAtEnd(const std::string &sentence);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DEVICE_H
