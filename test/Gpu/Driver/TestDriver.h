//===- TestDriver.h - the look-alike as tests use it -----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_TESTDRIVER_H
#define HOCKET_TEST_GPU_DRIVER_TESTDRIVER_H

#include "test/Gpu/Driver/Lookalike.h"
#include "test/Gpu/Driver/MoreFunctions.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hocket::lookalike {

using namespace runtime::cuda;

/// Codes that Api.h does not name.
constexpr int invalidHandle = 400, illegalState = 401;

/// The functions of Lookalike.h.
struct InternalFunctions {
  decltype(&hocketLookalikeEnqueue) enqueue;
  decltype(&hocketLookalikeCall) call;
  decltype(&hocketLookalikeFind) find;
  decltype(&hocketLookalikeDevice) device;
  decltype(&hocketLookalikeIsCapturing) isCapturing;
  decltype(&hocketLookalikeParameters) parameters;
  decltype(&hocketLookalikeWake) wake;
  decltype(&hocketLookalikeStep) step;
  decltype(&hocketLookalikeHasFailed) hasFailed;
  decltype(&hocketLookalikeIsAllocated) isAllocated;
  decltype(&hocketLookalikeKeep) keep;
  decltype(&hocketLookalikeRestart) restart;
};

/// A driver of its own for each test. What is found must be expected with
/// `found` or `left`.
class DriverTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Starts again with variables of the environment: {"SEED", "3"}.
  using Variables = std::vector<std::pair<std::string, std::string>>;
  void start(const Variables &variables);
  /// The same with the first device's context current.
  void startWithContext(const Variables &variables = {});

  /// The findings so far, one a line; they are then forgotten.
  std::string found();
  /// The findings at the end of the process.
  std::string left();

  Stream stream();
  Event event();
  DeviceAddress allocate(size_t bytes);
  /// Pinned memory of values, of one type.
  template <typename T> T *pinned(const std::vector<T> &values) {
    void *place = nullptr;
    EXPECT_EQ(cu.memHostAlloc(&place, values.size() * sizeof(T), 0), Success);
    std::copy(values.begin(), values.end(), static_cast<T *>(place));
    return static_cast<T *>(place);
  }
  /// A function of PTX that is loaded.
  Function function(const std::string &text, const char *name);
  /// add(x, y, n): y[i] += x[i] of u32, one block of n threads.
  Function add();
  Result launch(Function function, Stream stream, DeviceAddress x,
                DeviceAddress y, unsigned threads);

  static AllFunctions cu;
  static InternalFunctions internal;
  Context context = nullptr;
  Library library = nullptr;

private:
  std::string report;
};

/// The text of `add`.
extern const char *const addText;

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_TESTDRIVER_H
