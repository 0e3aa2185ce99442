//===- MemoryCalls.cpp - allocations, copies and memsets ------------------===//

#include "test/Gpu/Driver/Calls.h"
#include "test/Gpu/Driver/Copies.h"

using namespace hocket::lookalike;

namespace hocket::runtime::cuda {

Result cuMemGetInfo_v2(size_t *available, size_t *total) {
  return call("cuMemGetInfo_v2", Needs::Context, [&](Call &call) {
    const Allocations &allocations = call.driver.allocations;
    *total = allocations.total();
    *available =
        allocations.total() - allocations.used(call.driver.context().device);
  });
}

Result cuMemAlloc_v2(DeviceAddress *address, size_t bytes) {
  return call("cuMemAlloc_v2", Needs::Context, [&](Call &call) {
    call.checkNoCapture();
    call.require(bytes, InvalidValue, "is asked for 0 bytes");
    Block *block =
        call.driver.allocations.allocate(call.driver.context().device, bytes);
    if (!block)
      throw Failure{OutOfMemory};
    *address = block->base();
  });
}

/// All that was issued runs, since only then it is known what touches the
/// block. Whatever the host has not waited for by then might come later.
static void release(Call &call, Block &block) {
  Driver &driver = call.driver;
  driver.scheduler.drain();
  if (driver.stickyError)
    throw Failure{driver.stickyError};
  if (auto use = block.history.unfinished(driver.scheduler.hostClock()))
    driver.fail(std::string(call.symbol) + " releases '" +
                block.allocation->name + "', which " + *use->earlier.name +
                (use->earlierWrites ? " writes" : " reads") +
                ", and the host has not waited for it");
  driver.allocations.release(&block);
}

Result cuMemFree_v2(DeviceAddress address) {
  return call("cuMemFree_v2", Needs::Context, [&](Call &call) {
    call.checkNoCapture();
    if (!address)
      return;
    Block *block = call.driver.allocations.begin(address);
    call.require(block && block->device != hostDevice, InvalidValue,
                 "is given an address at which no allocation begins");
    release(call, *block);
  });
}

Result cuMemHostAlloc(void **place, size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", Needs::Context, [&](Call &call) {
    call.checkNoCapture();
    call.require(bytes, InvalidValue, "is asked for 0 bytes");
    call.require(!(flags & ~HostAllocPortable), InvalidValue,
                 "is given flags that the look-alike does not know: " +
                     std::to_string(flags));
    *place = call.driver.allocations.allocatePinned(bytes)->host();
  });
}

Result cuMemFreeHost(void *place) {
  return call("cuMemFreeHost", Needs::Context, [&](Call &call) {
    call.checkNoCapture();
    Block *block = call.driver.allocations.beginPinned(place);
    call.require(block, InvalidValue,
                 "is given a place at which no pinned allocation begins");
    release(call, *block);
  });
}

/// What is wrong with the memory that is there when a copy is issued is told
/// at once; it is checked again when the copy runs.
static CopyEnd deviceEnd(Call &call, DeviceAddress address, size_t bytes,
                         const char *verb) {
  Span span = call.driver.allocations.span(address, bytes, verb);
  call.require(span.block, InvalidValue, span.wrong);
  return {address, nullptr};
}

static CopyEnd hostEnd(Call &call, const void *place, size_t bytes,
                       const char *verb) {
  Span span = call.driver.allocations.pinned(place, bytes, verb);
  call.require(span.wrong.empty(), InvalidValue, span.wrong);
  if (span.block)
    return {span.block->base() + span.at, nullptr};
  return {0, const_cast<void *>(place)};
}

static void copy(Call &call, CopyEnd to, CopyEnd from, size_t bytes,
                 Stream given, const std::string &where) {
  CUstream_st &stream = call.streamHere(given);
  auto copy = std::make_shared<Copy>(where, to, from, bytes);
  if (!stream.capture)
    copy->keepSource();
  call.driver.scheduler.issue(stream, std::move(copy));
}

Result cuMemcpyHtoDAsync_v2(DeviceAddress to, const void *from, size_t bytes,
                            Stream stream) {
  return call("cuMemcpyHtoDAsync_v2", Needs::Context, [&](Call &call) {
    call.stream(stream);
    if (bytes)
      copy(call, deviceEnd(call, to, bytes, "writes"),
           hostEnd(call, from, bytes, "reads"), bytes, stream, "to the device");
  });
}

Result cuMemcpyDtoHAsync_v2(void *to, DeviceAddress from, size_t bytes,
                            Stream stream) {
  return call("cuMemcpyDtoHAsync_v2", Needs::Context, [&](Call &call) {
    call.stream(stream);
    if (bytes)
      copy(call, hostEnd(call, to, bytes, "writes"),
           deviceEnd(call, from, bytes, "reads"), bytes, stream, "to the host");
  });
}

Result cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from, size_t bytes,
                            Stream stream) {
  return call("cuMemcpyDtoDAsync_v2", Needs::Context, [&](Call &call) {
    call.stream(stream);
    if (bytes)
      copy(call, deviceEnd(call, to, bytes, "writes"),
           deviceEnd(call, from, bytes, "reads"), bytes, stream,
           "on the device");
  });
}

Result cuMemsetD8Async(DeviceAddress to, unsigned char value, size_t bytes,
                       Stream stream) {
  return call("cuMemsetD8Async", Needs::Context, [&](Call &call) {
    CUstream_st &checked = call.streamHere(stream);
    if (!bytes)
      return;
    deviceEnd(call, to, bytes, "writes");
    call.driver.scheduler.issue(checked,
                                std::make_shared<Memset>(to, value, bytes));
  });
}

} // namespace hocket::runtime::cuda
