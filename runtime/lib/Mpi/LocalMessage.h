//===- LocalMessage.h - a message within a process -------------*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_LOCALMESSAGE_H
#define HOCKET_LIB_MPI_LOCALMESSAGE_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace hocket::runtime {

/// Between two ranks of one process, again and again: the receiver copies from
/// where the sender has it, and so takes it. A sender waits until then before
/// it sends the next one.
class LocalMessage {
public:
  void send(const char *from, int64_t count) {
    bytes = count;
    data.store(from, std::memory_order_release);
  }
  bool isTaken() const {
    return data.load(std::memory_order_acquire) == nullptr;
  }
  /// Whether it was there. `sent` are the bytes that it has; no more than
  /// `room` are copied.
  bool take(char *to, int64_t room, int64_t &sent) {
    const char *from = data.load(std::memory_order_acquire);
    if (!from)
      return false;
    sent = bytes;
    std::memcpy(to, from, size_t(std::min(room, sent)));
    data.store(nullptr, std::memory_order_release);
    return true;
  }

private:
  std::atomic<const char *> data{nullptr};
  int64_t bytes = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_MPI_LOCALMESSAGE_H
