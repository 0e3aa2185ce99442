//===- Explanations.cpp - why some mutations change bits and pass ---------===//
//
// A row is a class of changes that no test of numbers should find, with its
// reason. What is in no row must be found.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Mutations/Campaign.h"
#include <regex>

namespace hocket::mutations {

namespace {

struct Explanation {
  const char *kind;   ///< pattern of the kind
  const char *target; ///< of "SOURCE KERNEL", or of a program
  const char *before; ///< of the line, or of the fault
  const char *why;
};

const Explanation explanations[] = {
    {"rounding", ".*", ".*",
     "A single operation is rounded in another direction: half a unit of the "
     "last place, which tolerances allow"},
};

} // namespace

std::string explanationOf(const Outcome &outcome) {
  const std::string &before =
      outcome.before.empty() ? outcome.where : outcome.before;
  for (const Explanation &one : explanations)
    if (std::regex_match(outcome.kind, std::regex(one.kind)) &&
        std::regex_match(outcome.target, std::regex(one.target)) &&
        std::regex_match(before, std::regex(one.before)))
      return one.why;
  return "";
}

} // namespace hocket::mutations
