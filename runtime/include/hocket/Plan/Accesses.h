//===- Accesses.h - what an instruction reads and writes -------*- C++ -*-===//

#ifndef HOCKET_PLAN_ACCESSES_H
#define HOCKET_PLAN_ACCESSES_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

using Instructions = std::vector<Instruction>;

/// The views that an instruction reads and those that it writes when it runs,
/// without its workspace. A
/// collective has both where it stands, whether it only starts there or not; a
/// Wait has none.
struct Accesses {
  std::vector<const View *> reads, writes;
};
Accesses accessesOf(const Instruction &instruction);

/// The collective that ends with instruction `at` of a list: itself if it is
/// run as a whole, what a Wait waits for; null if none does.
const Collective *endingAt(const Instructions &list, size_t at);

/// The views that are complete behind instruction `at` and were not before: a
/// collective's where it ends.
std::vector<const View *> writtenViews(const Instructions &list, size_t at);

} // namespace hocket::plan

#endif // HOCKET_PLAN_ACCESSES_H
