//===- History.h - which operations touched bytes last ---------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_HISTORY_H
#define HOCKET_TEST_GPU_DRIVER_HISTORY_H

#include "test/Gpu/Driver/Clock.h"
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace hocket::lookalike {

/// An operation as a later one remembers it.
struct Actor {
  unsigned lane = 0;
  uint64_t tick = 0; ///< 0: none
  std::shared_ptr<const std::string> name;

  bool isBefore(const Clock &clock) const { return tick <= clock.of(lane); }
  bool is(const Actor &other) const {
    return lane == other.lane && tick == other.tick;
  }
};

/// An earlier operation that the new one races with, at these bytes.
struct Conflict {
  Actor earlier;
  bool earlierWrites = false;
  uint64_t begin = 0, end = 0;
};

/// Of one allocation: for each byte the last write, and the reads since then
/// that no later read comes after.
class History {
public:
  std::optional<Conflict> read(uint64_t begin, uint64_t end, const Actor &actor,
                               const Clock &clock);
  std::optional<Conflict> write(uint64_t begin, uint64_t end,
                                const Actor &actor, const Clock &clock);

  /// An operation that does not come before the clock.
  std::optional<Conflict> unfinished(const Clock &clock) const;

private:
  struct Segment {
    uint64_t end = 0;
    Actor writer;
    std::vector<Actor> readers;
  };
  using Segments = std::map<uint64_t, Segment>;

  Segments::iterator split(uint64_t at);
  /// The segments of the bytes, which get edges at both ends.
  std::pair<Segments::iterator, Segments::iterator> cut(uint64_t begin,
                                                        uint64_t end);
  static std::optional<Conflict> check(uint64_t begin, const Segment &segment,
                                       const Clock &clock, bool alsoReads);

  Segments segments;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_HISTORY_H
