//===- ScheduleBlocks.h - lines of a schedule in blocks ---------*- C++ -*-===//

#ifndef HOCKET_TEST_RANDOM_SCHEDULEBLOCKS_H
#define HOCKET_TEST_RANDOM_SCHEDULEBLOCKS_H

#include "Rng.h"
#include <string>

namespace hocket::random {

/// The same lines in the same order, some of them in an `at` or in a `def` that
/// is used once.
std::vector<std::string> inBlocks(Rng &rng,
                                  const std::vector<std::string> &lines);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_SCHEDULEBLOCKS_H
