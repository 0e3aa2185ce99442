//===- Rendezvous.cpp - threads that wait for one another -----------------===//

#include "runtime/lib/Communicator/Rendezvous.h"
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hocket::runtime {

Rendezvous::Rendezvous(int64_t members, bool spin,
                       const std::atomic<bool> &aborted)
    : members(members), spin(spin), aborted(aborted), slots(new Slot[members]) {
}

static uint32_t *word(std::atomic<uint32_t> &value) {
  return reinterpret_cast<uint32_t *>(&value);
}

void Rendezvous::arrive(int64_t member, const void *note) {
  Slot &slot = slots[member];
  slot.note.store(note, std::memory_order_release);
  slot.arrivals.fetch_add(1, std::memory_order_release);
  uint64_t now = total.fetch_add(1) + 1;
  // Sequentially consistent with wait(): either this thread sees a sleeper or
  // the sleeper sees the new value of `wakeups`.
  if (now % members == 0)
    wakeAll();
}

void Rendezvous::forget() {
  for (int64_t member = 0; member < members; ++member)
    slots[member].arrivals.store(0);
  total.store(0);
}

void Rendezvous::wakeAll() {
  wakeups.fetch_add(1);
  if (sleepers.load() > 0)
    syscall(SYS_futex, word(wakeups), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
            nullptr, 0);
}

bool Rendezvous::isComplete(int64_t member) const {
  return total.load(std::memory_order_acquire) >=
         slots[member].arrivals.load(std::memory_order_relaxed) * members;
}

bool Rendezvous::hasArrived(int64_t member, int64_t other) const {
  return slots[other].arrivals.load(std::memory_order_acquire) >=
         slots[member].arrivals.load(std::memory_order_relaxed);
}

WaitResult Rendezvous::wait(int64_t member, Clock::time_point deadline) {
  // Longer than the imbalance of products of some milliseconds, for a sleeper
  // takes 50 microseconds to come back; shorter than a time slice.
  constexpr auto patience = std::chrono::microseconds(500);
  auto until = Clock::now() + patience;
  for (int i = 1; spin; ++i) {
    if (isComplete(member))
      return WaitResult::Arrived;
    __builtin_ia32_pause();
    if (i % 64 == 0 && Clock::now() >= until)
      break;
  }
  // Several ranks share a core: the one that is waited for may just need it.
  int yields = spin ? 0 : 16;
  for (int i = 0; i < yields; ++i) {
    if (isComplete(member))
      return WaitResult::Arrived;
    sched_yield();
  }
  for (;;) {
    uint32_t before = wakeups.load();
    if (isComplete(member))
      return WaitResult::Arrived;
    if (aborted.load())
      return WaitResult::Aborted;
    auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
                    deadline - Clock::now())
                    .count();
    if (left <= 0)
      return WaitResult::TimedOut;
    timespec timeout = {static_cast<time_t>(left / 1000000000),
                        static_cast<long>(left % 1000000000)};
    sleepers.fetch_add(1);
    syscall(SYS_futex, word(wakeups), FUTEX_WAIT_PRIVATE, before, &timeout,
            nullptr, 0);
    sleepers.fetch_sub(1);
  }
}

} // namespace hocket::runtime
