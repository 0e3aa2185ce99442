//===- StreamCalls.cpp - streams and functions of the host ----------------===//

#include "test/Gpu/Driver/Calls.h"
#include "test/Gpu/Driver/Copies.h"

using namespace hocket::lookalike;

namespace hocket::runtime::cuda {

Result cuStreamCreate(Stream *stream, unsigned flags) {
  return call("cuStreamCreate", Needs::Context, [&](Call &call) {
    call.require(flags == StreamNonBlocking, InvalidValue,
                 "makes a stream without CU_STREAM_NON_BLOCKING, which waits "
                 "for the default stream");
    *stream = call.driver.streams.make();
    (*stream)->context = &call.driver.context();
    (*stream)->lane = call.driver.scheduler.takeLane();
  });
}

/// What the stream still holds runs first, as the documents say; the host has
/// not waited for it.
Result cuStreamDestroy_v2(Stream given) {
  return call("cuStreamDestroy_v2", Needs::Context, [&](Call &call) {
    CUstream_st &stream = call.stream(given);
    if (stream.capture)
      call.invalidate(*stream.capture, StreamCaptureUnsupported);
    call.driver.scheduler.runUntil([&] { return stream.isIdle(); });
    call.driver.streams.take(&stream);
  });
}

/// A capturing stream cannot be waited for.
static CUstream_st &waited(Call &call, Stream given) {
  CUstream_st &stream = call.stream(given);
  if (stream.capture)
    call.invalidate(*stream.capture, StreamCaptureUnsupported);
  call.checkNoCapture();
  return stream;
}

Result cuStreamSynchronize(Stream given) {
  return call("cuStreamSynchronize", Needs::Context, [&](Call &call) {
    CUstream_st &stream = waited(call, given);
    call.driver.scheduler.runUntil([&] { return stream.isIdle(); });
    call.driver.scheduler.hostWaited(stream.clock);
  });
}

/// Each call gets one operation of any stream done.
Result cuStreamQuery(Stream given) {
  return call("cuStreamQuery", Needs::Context, [&](Call &call) {
    CUstream_st &stream = waited(call, given);
    if (!stream.isIdle())
      call.driver.scheduler.step();
    if (!stream.isIdle() && !call.driver.stickyError)
      throw Failure{NotReady};
    call.driver.scheduler.hostWaited(stream.clock);
  });
}

Result cuLaunchHostFunc(Stream stream, HostFunction function, void *userData) {
  return call("cuLaunchHostFunc", Needs::Context, [&](Call &call) {
    CUstream_st &checked = call.streamHere(stream);
    call.require(function, InvalidValue, "is given no function");
    call.driver.scheduler.issue(checked,
                                std::make_shared<HostCall>(function, userData));
  });
}

} // namespace hocket::runtime::cuda
