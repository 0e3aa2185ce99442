//===- Rendezvous.h - threads that wait for one another --------*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_RENDEZVOUS_H
#define HOCKET_LIB_COMMUNICATOR_RENDEZVOUS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace hocket::runtime {

enum class WaitResult { Arrived, Aborted, TimedOut };

/// A barrier that can be passed any number of times by `members` threads, and
/// at which each leaves a pointer for the others. A waiting thread spins for a
/// short while (if allowed; else it yields its core a few times) and then
/// sleeps in the kernel.
class Rendezvous {
public:
  using Clock = std::chrono::steady_clock;

  Rendezvous(int64_t members, bool spin, const std::atomic<bool> &aborted);

  /// Says that `member` has come for the next time; `note` can be read by the
  /// others once they have waited and until they come again.
  void arrive(int64_t member, const void *note);
  /// Waits until all members have come as often as `member` has.
  WaitResult wait(int64_t member, Clock::time_point deadline);
  const void *note(int64_t member) const {
    return slots[member].note.load(std::memory_order_acquire);
  }
  /// Whether `other` has come as often as `member`.
  bool hasArrived(int64_t member, int64_t other) const;
  /// While nobody waits: as if none had ever come.
  void forget();
  /// Makes waiting threads look at the abort flag.
  void wakeAll();

private:
  struct alignas(64) Slot {
    std::atomic<uint64_t> arrivals{0};
    std::atomic<const void *> note{nullptr};
  };

  bool isComplete(int64_t member) const;

  const int64_t members;
  const bool spin;
  const std::atomic<bool> &aborted;
  std::unique_ptr<Slot[]> slots;
  alignas(64) std::atomic<uint64_t> total{0}; // arrivals of all members
  alignas(64) std::atomic<uint32_t> wakeups{0};
  std::atomic<uint32_t> sleepers{0};
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_RENDEZVOUS_H
