//===- Arena.h - what a program's plan holds at most -----------*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_EXECUTE_ARENA_H
#define HOCKET_TEST_UNIT_EXECUTE_ARENA_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hocket::test {

struct ArenaProgram {
  std::string file;     ///< from the top of the source tree
  std::string schedule; ///< with gradients
  std::string train;    ///< a recipe, or "" for no training step
  std::vector<std::pair<std::string, int64_t>> defines;
};

/// Bytes of the largest arena of a rank. A program that does not compile fails
/// the test.
int64_t arenaOf(const ArenaProgram &program);

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_EXECUTE_ARENA_H
