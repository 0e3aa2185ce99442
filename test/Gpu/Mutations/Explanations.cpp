//===- Explanations.cpp - why some mutations change bits and pass ---------===//
//
// A row is a class of changes that no test of numbers should find, with its
// reason and what shows that a change is of the class. What is of none must be
// found.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Mutations/Campaign.h"
#include <set>

namespace hocket::mutations {

/// How many operands differ, if nothing else does but `part`, an index of the
/// opcode, or nothing where it is -1.
static std::optional<int> operandsThatDiffer(const PtxLine &a, const PtxLine &b,
                                             int part) {
  if (a.opcode.size() != b.opcode.size() || a.guard != b.guard ||
      a.operands.size() != b.operands.size())
    return std::nullopt;
  for (size_t i = 0; i < a.opcode.size(); ++i)
    if (static_cast<int>(i) != part && a.opcode[i] != b.opcode[i])
      return std::nullopt;
  int count = 0;
  for (size_t i = 0; i < a.operands.size(); ++i)
    count += a.operands[i] != b.operands[i];
  return count;
}

/// Of one operation of floats, to a float: 1.5 to 2 by cvt.rni is another one.
static bool isRoundedOtherwise(const Outcome &, const PtxLine &before,
                               const PtxLine &after) {
  static const std::set<std::string> directions = {"rn", "rz", "rm", "rp"};
  for (size_t i = 0; i < std::min(before.opcode.size(), after.opcode.size());
       ++i)
    if (before.opcode[i] != after.opcode[i])
      return directions.count(before.opcode[i]) &&
             directions.count(after.opcode[i]) &&
             operandsThatDiffer(before, after, static_cast<int>(i)) == 0;
  return false;
}

/// A number that is written into a fused product and sum, of a program whose
/// results have been compared: those of kernels' tests are not.
static bool isCoefficient(const Outcome &outcome, const PtxLine &before,
                          const PtxLine &after) {
  if (outcome.family != "generated kernel" || outcome.difference > 1e-6 ||
      before.base() != "fma" || operandsThatDiffer(before, after, -1) != 1)
    return false;
  for (size_t i = 0; i < before.operands.size(); ++i)
    if (before.operands[i] != after.operands[i])
      return before.operands[i].rfind("0f", 0) == 0;
  return false;
}

/// Of the sum that is an origin alone: F16 and BF16 take it for the mean.
static bool isOrigin(const Outcome &outcome, const PtxLine &, const PtxLine &) {
  return outcome.target == "AttentionMeans meansF32" ||
         outcome.target == "AttentionMeans meansF64";
}

namespace {

struct Explanation {
  const char *kind; // null: any
  bool (*holds)(const Outcome &, const PtxLine &before, const PtxLine &after);
  const char *why;
};

const Explanation explanations[] = {
    {"rounding", isRoundedOtherwise,
     "A single operation is rounded in another direction: a unit of the last "
     "place, which tolerances allow"},
    {"constant", isCoefficient,
     "A coefficient of a function's approximation moves results by less than "
     "a millionth of the largest: a tenth of what f32 is held to"},
    {nullptr, isOrigin,
     "Gradients of f32 and f64 count the mean of dP from this sum "
     "(AttentionPlainGrad.cu): from another origin they come to the same "
     "number, rounded otherwise"},
};

} // namespace

std::string explanationOf(const Outcome &outcome) {
  std::optional<PtxLine> before = readPtxLine(outcome.before),
                         after = readPtxLine(outcome.after);
  if (!before || !after)
    return "";
  for (const Explanation &one : explanations)
    if ((!one.kind || outcome.kind == one.kind) &&
        one.holds(outcome, *before, *after))
      return one.why;
  return "";
}

} // namespace hocket::mutations
