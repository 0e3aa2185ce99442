//===- Runs.h - parts that are several runs of a factor --------*- C++ -*-===//
//
// Parts of a zigzag or of stripes are intervals of a list: the elements of the
// first part, ascending, then those of the second, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_RUNS_H
#define HOCKET_PLAN_RUNS_H

#include <cstdint>

namespace hocket::plan {

/// Where the numbers of the list stand that are in one part, which begins at
/// number `begin`.
struct Runs {
  int64_t begin, first, length, every;

  int64_t placeOf(int64_t number) const {
    number -= begin;
    return first + number / length * every + number % length;
  }
  /// As many numbers, this one first, stand one after another.
  int64_t together(int64_t number) const {
    return length - (number - begin) % length;
  }
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_RUNS_H
