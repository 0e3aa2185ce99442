//===- BaselineGpu.h - memory of a GPU, and times on it --------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_ONGPU_BASELINEGPU_H
#define HOCKET_TEST_GPU_ONGPU_BASELINEGPU_H

#include "runtime/lib/Cuda/Driver/Driver.h"
#include <functional>
#include <string>
#include <vector>

namespace hocket::baseline {

enum class ElementType { F32, BF16, F16 };

/// False if `word` is no name of a type.
bool typeOf(const std::string &word, ElementType &type);
int64_t bytesOf(ElementType type);

using Times = std::vector<double>; // seconds

/// The first GPU that the driver shows, with a stream. What is allocated stays
/// until it ends.
class Gpu {
public:
  ~Gpu();
  runtime::Status open();
  const runtime::cuda::Driver &operator->() const { return *driver; }
  const runtime::cuda::DriverFunctions &functions() const {
    return driver->functions;
  }
  runtime::Status status(runtime::cuda::Result result, const char *what) const {
    return driver->status(result, what);
  }
  runtime::cuda::Stream stream() const { return ownStream; }

  runtime::Status allocate(int64_t bytes,
                           runtime::cuda::DeviceAddress &address);
  /// The same, full of numbers between -1 and 1: the rate of a chip depends on
  /// what it computes with.
  runtime::Status allocateRandom(int64_t bytes, ElementType type,
                                 runtime::cuda::DeviceAddress &address);
  /// Issues `work` `runs` times, after two that do not count, and appends what
  /// each took by events.
  runtime::Status time(const std::function<runtime::Status()> &work,
                       int64_t runs, Times &times);

private:
  runtime::Status timeOnce(const std::function<runtime::Status()> &work,
                           double &seconds);

  const runtime::cuda::Driver *driver = nullptr;
  runtime::cuda::DeviceNumber device = 0;
  runtime::cuda::Context context = nullptr;
  runtime::cuda::Stream ownStream = nullptr;
  runtime::cuda::Event begin = nullptr, end = nullptr;
  std::vector<runtime::cuda::DeviceAddress> allocated;
};

} // namespace hocket::baseline

#endif // HOCKET_TEST_GPU_ONGPU_BASELINEGPU_H
