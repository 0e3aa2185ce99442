//===- Clock.h - what comes before an operation ----------------*- C++ -*-===//
//
// The idea: operations of one lane (a stream, or a branch of a graph) follow
// each other, and each has a tick of its lane. A clock says, for each lane, up
// to which tick its operations come before the one that holds the clock:
//
//     stream 1: copy              lane 0, tick 1     clock {1, 0}
//     stream 1: record event      the event keeps    {1, 0}
//     stream 2: wait for event    joins it           {1, 0}
//     stream 2: kernel            lane 1, tick 1     {1, 1}: 1 <= 1, after copy
//
// Without the wait the kernel's clock is {0, 1}: the copy of tick 1 is not in
// it, and the two race if they touch the same bytes. The host has a clock too:
// it joins what it has waited for, and what it issues later joins its clock.
// All threads of the host share that clock, since their own synchronisation is
// not seen here; a race between two threads that do not wait for each other can
// be missed, none is made up. (HOCKET_LOOKALIKE_THREADS keeps them apart.)
// (Vector clocks: Fidge 1988, Mattern 1989; the last write and the reads since
// then: FastTrack, Flanagan and Freund 2009.)
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_DRIVER_CLOCK_H
#define HOCKET_TEST_GPU_DRIVER_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hocket::lookalike {

class Clock {
public:
  uint64_t of(unsigned lane) const {
    return lane < ticks.size() ? ticks[lane] : 0;
  }
  void set(unsigned lane, uint64_t tick) {
    if (lane >= ticks.size())
      ticks.resize(lane + 1);
    ticks[lane] = tick;
  }
  void join(const Clock &other) {
    if (ticks.size() < other.ticks.size())
      ticks.resize(other.ticks.size());
    for (size_t i = 0; i < other.ticks.size(); ++i)
      ticks[i] = std::max(ticks[i], other.ticks[i]);
  }

private:
  std::vector<uint64_t> ticks; ///< by lane
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_CLOCK_H
