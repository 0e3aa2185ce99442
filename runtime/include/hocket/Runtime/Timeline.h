//===- Timeline.h - times of what a device was handed ----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_TIMELINE_H
#define HOCKET_RUNTIME_TIMELINE_H

#include "hocket/Runtime/Status.h"
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hocket::runtime {

/// When a device ran one call, on the clock of the host.
struct CallTime {
  using Clock = std::chrono::steady_clock;
  struct Wait {
    Clock::time_point begin, end;
  };
  static constexpr int32_t mostWaits = 3;

  Clock::time_point begin, end;
  int32_t waitCount = 0; // for other ranks
  std::array<Wait, mostWaits> waits = {};
};

/// Times, by the device's own clock, of the calls that one rank hands to it,
/// where these end after they have returned. Used by the thread of that rank
/// alone, and only where somebody wants times: nothing is timed before
/// `reserve`.
class Timeline {
public:
  virtual ~Timeline() = default;
  /// Room for the times of so many calls and the waits in them.
  virtual Status reserve(size_t calls, size_t waits) = 0;
  /// The calls that are handed over from here on are timed, and those before
  /// are forgotten. Those of a recording are timed in each run of the graph.
  virtual Status begin() = 0;
  /// A call has been handed over.
  virtual Status next() = 0;
  /// No call is left.
  virtual Status end() = 0;
  /// After all has ended: the times of the calls since `begin`, of the latest
  /// run where they were recorded.
  virtual Status read(std::vector<CallTime> &times) = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_TIMELINE_H
