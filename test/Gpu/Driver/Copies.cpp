//===- Copies.cpp - copies, memsets and functions of the host -------------===//

#include "test/Gpu/Driver/Copies.h"
#include "test/Gpu/Driver/Driver.h"
#include <cerrno>
#include <sys/uio.h>
#include <unistd.h>

using namespace hocket::lookalike;

/// Copies the process's own memory; false where a page is not there. Where the
/// system forbids the calls that can tell, it is a plain copy.
static bool copySafely(void *to, void *from, uint64_t bytes, bool isRead) {
  auto *target = static_cast<std::byte *>(to);
  auto *source = static_cast<std::byte *>(from);
  constexpr uint64_t most = uint64_t(1) << 30; // of one call
  for (uint64_t at = 0; at < bytes; at += most) {
    uint64_t count = std::min(most, bytes - at);
    iovec own{isRead ? target + at : source + at, count};
    iovec other{isRead ? source + at : target + at, count};
    ssize_t copied = isRead
                         ? process_vm_readv(getpid(), &own, 1, &other, 1, 0)
                         : process_vm_writev(getpid(), &own, 1, &other, 1, 0);
    if (copied < 0 && (errno == EPERM || errno == ENOSYS))
      std::memcpy(target + at, source + at, count);
    else if (copied != static_cast<ssize_t>(count))
      return false;
  }
  return true;
}

void Copy::keepSource() {
  if (!from.pageable)
    return;
  auto *begin = static_cast<const std::byte *>(from.pageable);
  kept.assign(begin, begin + bytes);
}

/// From memory that is not pinned.
void Copy::toDevice(Execution &execution) {
  Span target = execution.span(to.address, bytes, "writes");
  std::vector<std::byte> now(bytes);
  if (!target.block)
    return;
  execution.writes(*target.block, target.at, target.at + bytes);
  if (!copySafely(now.data(), from.pageable, bytes, true))
    return execution.find("reads memory of the host that is released before "
                          "the stream comes to it");
  if (!kept.empty() && std::memcmp(kept.data(), now.data(), bytes) != 0)
    return execution.find("reads memory of the host that is not pinned and "
                          "changes before the stream comes to it");
  std::memcpy(target.data(), now.data(), bytes);
  target.block->allocation->region.define(target.at, bytes);
}

void Copy::toHost(Execution &execution, const Span &source) {
  if (!copySafely(to.pageable, source.data(), bytes, false))
    execution.find("writes memory of the host that is released before the "
                   "stream comes to it");
}

/// Bytes without values stay so on a device. All bytes of the host are taken
/// to have values.
void Copy::between(Execution &execution, const Span &target,
                   const Span &source) {
  execution.writes(*target.block, target.at, target.at + bytes);
  if (target.block == source.block && target.at < source.at + bytes &&
      source.at < target.at + bytes)
    return execution.find("has a source and a target that overlap");
  std::memcpy(target.data(), source.data(), bytes);
  if (target.block->device != hostDevice)
    std::memcpy(&target.block->allocation->region.defined[target.at],
                &source.block->allocation->region.defined[source.at], bytes);
}

void Copy::run(Execution &execution) {
  if (from.pageable)
    return toDevice(execution);
  Span source = execution.span(from.address, bytes, "reads");
  if (!source.block)
    return;
  execution.reads(*source.block, source.at, source.at + bytes);
  Span target;
  if (!to.pageable) {
    target = execution.span(to.address, bytes, "writes");
    if (!target.block)
      return;
  }
  bool toHostMemory = to.pageable || target.block->device == hostDevice;
  const auto &defined = source.block->allocation->region.defined;
  auto first = defined.begin() + source.at, end = first + bytes;
  auto missing = std::find(first, end, 0);
  if (toHostMemory && missing != end &&
      execution.driver.environment.findsUndefined)
    execution.find("reads " + std::to_string(std::count(first, end, 0)) +
                   " bytes of '" + source.block->allocation->name +
                   "' that have no value, the first at byte " +
                   std::to_string(missing - defined.begin()));
  if (to.pageable)
    toHost(execution, source);
  else
    between(execution, target, source);
}

void Memset::run(Execution &execution) {
  Span target = execution.span(to, bytes, "writes");
  if (!target.block)
    return;
  execution.writes(*target.block, target.at, target.at + bytes);
  std::memset(target.data(), value, bytes);
  target.block->allocation->region.define(target.at, bytes);
}

void HostCall::run(Execution &execution) {
  execution.driver.scheduler.hostSaw(execution.before());
  execution.driver.outside([&] { function(data); });
}
