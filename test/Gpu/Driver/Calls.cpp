//===- Calls.cpp - what every function of the driver begins with ----------===//

#include "test/Gpu/Driver/Calls.h"
#include <fstream>

using namespace hocket::lookalike;

/// cuMemAlloc_v2 is also called cuMemAlloc.
static bool isNamed(const std::string &symbol, const std::string &name) {
  return symbol == name || symbol == name + "_v2";
}

void Call::note(const Injection &injection) {
  if (!driver.environment.failed.empty())
    std::ofstream(driver.environment.failed, std::ios::app)
        << injection.function << ":" << injection.call << "=" << injection.code
        << " " << driver.counts.operationsThatRan() << "\n";
}

void Call::count() {
  uint64_t number = driver.counts.called(symbol);
  if (isInHostCall)
    refuse(NotPermitted, "is called from a function that a stream runs on the "
                         "host");
  for (const Injection &injection : driver.environment.injections)
    if (isNamed(symbol, injection.function) && injection.call == number) {
      note(injection);
      if (isSticky(injection.code))
        driver.failWith(injection.code);
      throw Failure{injection.code};
    }
}

void Call::check(Needs needs) {
  driver.scheduler.enter();
  if (needs == Needs::Nothing)
    return;
  if (!driver.isInitialized)
    throw Failure{cuda::NotInitialized};
  if (driver.stickyError)
    throw Failure{driver.stickyError};
  if (needs == Needs::Context)
    driver.context();
}

void Call::refuse(cuda::Result code, const std::string &what) {
  driver.find(std::string(symbol) + " " + what);
  throw Failure{code};
}

CUstream_st &Call::stream(CUstream_st *stream) {
  // 1 and 2 stand for the default streams.
  require(reinterpret_cast<uintptr_t>(stream) > 2, InvalidHandle,
          "is given the default stream; all work belongs into streams that "
          "the program has made");
  require(driver.streams.has(stream), InvalidHandle,
          "is given a stream that does not exist");
  return *stream;
}

CUstream_st &Call::validStream(CUstream_st *given) {
  CUstream_st &checked = stream(given);
  if (checked.capture && !checked.capture->isValid)
    throw Failure{cuda::StreamCaptureInvalidated};
  return checked;
}

CUstream_st &Call::streamHere(CUstream_st *given) {
  CUstream_st &checked = stream(given);
  require(checked.context == &driver.context(), InvalidHandle,
          "is given stream " + std::to_string(checked.number) + " of device " +
              std::to_string(checked.context->device) +
              " while the current context is that of device " +
              std::to_string(driver.context().device));
  return validStream(given);
}

CUevent_st &Call::event(CUevent_st *event) {
  require(driver.events.has(event), InvalidHandle,
          "is given an event that does not exist");
  return *event;
}

void Call::invalidate(Capture &capture, cuda::Result code) {
  capture.isValid = false;
  throw Failure{code};
}

/// Calls that might wait for work or issue some.
void Call::checkNoCapture() {
  bool any = false;
  for (const auto &stream : driver.streams) {
    Capture *capture = stream->capture.get();
    if (!capture)
      continue;
    if (capture->mode == cuda::CaptureGlobal ||
        (capture->mode == cuda::CaptureThread &&
         capture->thread == std::this_thread::get_id())) {
      capture->isValid = false;
      any = true;
    }
  }
  if (any)
    throw Failure{cuda::StreamCaptureUnsupported};
}
