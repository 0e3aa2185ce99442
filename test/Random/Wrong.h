//===- Wrong.h - schedules that are wrong, from right ones ------*- C++ -*-===//

#ifndef HOCKET_TEST_RANDOM_WRONG_H
#define HOCKET_TEST_RANDOM_WRONG_H

#include <cstdint>
#include <map>
#include <string>

namespace hocket::random {

/// A right schedule with one line left out, one dim changed or two lines
/// swapped, and what following the first proposals came to.
struct WrongCase {
  bool isWrong = false; ///< the change made an error
  std::string change;   ///< "left out", "dim", "swapped"
  bool checks = false, hasProposal = true, alwaysParses = true;
  int64_t rightBytes = 0, bytes = -1;
  unsigned steps = 0;
  std::string text, log;

  /// At most 1.5 times the bytes of the right schedule.
  bool isGood() const {
    return checks && alwaysParses && 2 * bytes <= 3 * rightBytes;
  }
};

/// Changes are drawn from case `number` of `seed`.
WrongCase runWrong(uint64_t seed, uint64_t number);

struct WrongSummary {
  int64_t cases = 0, wrong = 0, good = 0, unreadable = 0;
  std::map<std::string, int64_t> failures; ///< by what it was
  void add(const WrongCase &wrongCase);
  std::string text() const;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_WRONG_H
