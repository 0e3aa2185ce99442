//===- Calls.h - what every function of the driver begins with -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_CALLS_H
#define HOCKET_TEST_GPU_DRIVER_CALLS_H

#include "test/Gpu/Driver/Codes.h"
#include "test/Gpu/Driver/Driver.h"
#include "test/Gpu/Driver/MoreFunctions.h"

namespace hocket::runtime::cuda {

#define HOCKET_DECLARE(symbol, name, parameters)                               \
  extern "C" Result symbol parameters;
HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_DECLARE)
HOCKET_CUDA_MORE_FUNCTIONS(HOCKET_DECLARE)
#undef HOCKET_DECLARE

} // namespace hocket::runtime::cuda

namespace hocket::lookalike {

enum class Needs { Nothing, Initialized, Context };

/// One call of a function.
class Call {
public:
  Call(Driver &driver, const char *symbol) : driver(driver), symbol(symbol) {}

  /// Counts it, and throws Failure where it cannot go on.
  void begin(Needs needs) {
    count();
    check(needs);
  }
  void count();
  void check(Needs needs);

  /// Writes a finding "cuX <what>" and throws the code.
  [[noreturn]] void refuse(cuda::Result code, const std::string &what);
  void require(bool holds, cuda::Result code, const std::string &what) {
    if (!holds)
      refuse(code, what);
  }

  /// A stream, event, ... that exists.
  CUstream_st &stream(CUstream_st *stream);
  CUevent_st &event(CUevent_st *event);
  /// The stream, of whatever context. Its capture is still valid.
  CUstream_st &validStream(CUstream_st *stream);
  /// The same, and the current context is its own.
  CUstream_st &streamHere(CUstream_st *stream);

  /// Ends captures that the call is not allowed during, and throws.
  void checkNoCapture();
  void invalidate(Capture &capture, cuda::Result code);

  Driver &driver;
  const char *const symbol;

private:
  /// Tells a test that a call has failed as it has asked.
  void note(const Injection &injection);
};

/// Runs the body with the lock; its result, or the code that it throws.
template <typename Body>
cuda::Result call(const char *symbol, Needs needs, Body body) {
  std::lock_guard held(lock());
  Call call(Driver::get(), symbol);
  try {
    call.begin(needs);
    body(call);
    return needs == Needs::Nothing ? 0 : call.driver.stickyError;
  } catch (const Failure &failure) {
    return failure.code;
  }
}

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_CALLS_H
