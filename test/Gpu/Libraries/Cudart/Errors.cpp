//===- Errors.cpp - errors of a thread, and the driver --------------------===//

#include "test/Gpu/Libraries/Cudart/Cudart.h"
#include "test/Gpu/Libraries/Device.h"

namespace hocket::lookalike {

static thread_local Error lastError = 0;

Error keep(Error error) {
  if (error)
    lastError = error;
  return error;
}

Error counted(const char *function) { return countCall(function); }

const runtime::cuda::DriverFunctions *driver() {
  const runtime::cuda::Driver *opened = nullptr;
  return runtime::cuda::Driver::open(opened).ok() ? &opened->functions
                                                  : nullptr;
}

extern "C" {

Error cudaGetLastError() {
  Error error = lastError;
  lastError = 0;
  return error;
}

Error cudaPeekAtLastError() { return lastError; }

const char *cudaGetErrorString(Error error) {
  const char *text = nullptr;
  if (driver())
    driver()->getErrorString(error, &text);
  return text ? text : "unknown error";
}

} // extern "C"

} // namespace hocket::lookalike
