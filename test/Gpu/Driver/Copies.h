//===- Copies.h - copies, memsets and functions of the host ----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_COPIES_H
#define HOCKET_TEST_GPU_DRIVER_COPIES_H

#include "test/Gpu/Driver/Operation.h"

namespace hocket::lookalike {

/// One end of a copy: an address of a device, which pinned memory has too, or
/// other memory of the host.
struct CopyEnd {
  uint64_t address = 0;
  void *pageable = nullptr;
};

/// Memory of the host that is not pinned is read when the copy is issued, and
/// must still be the same when the stream comes to it: the documents leave open
/// when it is read ("the function might be synchronous").
class Copy : public Operation {
public:
  /// `where` is "to the device", "to the host" or "on the device".
  Copy(const std::string &where, CopyEnd to, CopyEnd from, uint64_t bytes)
      : Operation("copy " + where,
                  "a copy of " + std::to_string(bytes) + " bytes " + where,
                  bytes),
        to(to), from(from) {}

  /// For a copy that is issued, not captured.
  void keepSource();
  void run(Execution &execution) override;

private:
  void toDevice(Execution &execution);
  void toHost(Execution &execution, const Span &source);
  void between(Execution &execution, const Span &target, const Span &source);

  CopyEnd to, from;
  std::vector<std::byte> kept;
};

class Memset : public Operation {
public:
  Memset(uint64_t to, unsigned char value, uint64_t bytes)
      : Operation("memset", "a memset of " + std::to_string(bytes) + " bytes",
                  bytes),
        to(to), value(value) {}
  void run(Execution &execution) override;

private:
  uint64_t to;
  unsigned char value;
};

/// Runs without the driver's lock; calls of the driver from it are refused. It
/// may tell a thread of the host that the stream has come here, so what the
/// host issues from then on comes after what the stream has done.
class HostCall : public Operation {
public:
  HostCall(void (*function)(void *), void *data)
      : Operation("function of the host", "a function of the host"),
        function(function), data(data) {}
  void run(Execution &execution) override;

private:
  void (*function)(void *);
  void *data;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_COPIES_H
