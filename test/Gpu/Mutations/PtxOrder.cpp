//===- PtxOrder.cpp - which instructions there are, in which order --------===//

#include "test/Gpu/Mutations/PtxMutation.h"
#include <algorithm>

namespace hocket::mutations {

static bool isBarrier(const PtxLine &line) {
  return line.base() == "bar" || line.base() == "barrier";
}

static bool isOfCopies(const PtxLine &line) {
  return line.base() == "cp" &&
         (line.has("wait_all") || line.has("wait_group") ||
          line.has("commit_group"));
}

static bool leavesOrder(const PtxLine &line) {
  static const std::set<std::string> jumps = {"bra", "brx", "ret", "exit"};
  return jumps.count(line.base());
}

bool leaveOut(Draft &draft) {
  if (isBarrier(draft.line) || isOfCopies(draft.line))
    return false;
  draft.lines[draft.at] = draft.line.emptied();
  return true;
}

/// Whether one names a register that the other writes, or both touch memory.
static bool depends(const PtxLine &a, const PtxLine &b) {
  static const std::set<std::string> memory = {"ld",  "st",  "cp",      "atom",
                                               "red", "bar", "ldmatrix"};
  if (memory.count(a.base()) && memory.count(b.base()))
    return true;
  auto namesIn = [](const PtxLine &line, size_t end) {
    std::set<std::string> names;
    for (size_t i = 0; i < std::min(end, line.operands.size()); ++i)
      for (const std::string &name : registersIn(line.operands[i]))
        names.insert(name);
    if (end == size_t(-1) && !line.guard.empty())
      names.insert(line.guard.substr(line.guard.find('%')));
    return names;
  };
  std::set<std::string> ofA = namesIn(a, -1), ofB = namesIn(b, -1);
  for (const std::string &name : namesIn(a, a.firstSource()))
    if (ofB.count(name))
      return true;
  for (const std::string &name : namesIn(b, b.firstSource()))
    if (ofA.count(name))
      return true;
  return false;
}

bool exchangeWithNext(Draft &draft) {
  std::optional<size_t> next = draft.neighbour(draft.at, 1);
  if (!next || leavesOrder(draft.line) ||
      !depends(draft.line, *readPtxLine(draft.lines[*next])))
    return false;
  std::swap(draft.lines[draft.at], draft.lines[*next]);
  return true;
}

bool leaveOutBarrier(Draft &draft) {
  if (!isBarrier(draft.line))
    return false;
  draft.lines[draft.at] = draft.line.emptied();
  return true;
}

/// Over one to eight instructions of its block.
bool moveBarrier(Draft &draft) {
  if (!isBarrier(draft.line))
    return false;
  int by = draft.rng.chance(0.5) ? 1 : -1;
  int64_t steps = draft.rng.between(1, 8);
  size_t at = draft.at;
  for (int64_t i = 0; i < steps; ++i) {
    std::optional<size_t> next = draft.neighbour(at, by);
    if (!next || leavesOrder(*readPtxLine(draft.lines[*next])))
      break;
    std::swap(draft.lines[at], draft.lines[*next]);
    at = *next;
  }
  return at != draft.at;
}

bool changeWait(Draft &draft) {
  PtxLine &line = draft.line;
  if (!isOfCopies(line))
    return false;
  std::string &text = draft.lines[draft.at];
  if (line.has("commit_group") || draft.rng.chance(0.4)) {
    text = line.emptied();
  } else if (line.has("wait_all")) {
    text = line.before + "cp.async.commit_group; cp.async.wait_group 1" +
           line.after;
  } else {
    line.operands.at(0) = std::to_string(std::stoi(line.operands[0]) + 1);
    text = line.text();
  }
  return true;
}

bool changeGuard(Draft &draft) {
  PtxLine &line = draft.line;
  if (line.guard.empty())
    return false;
  bool isNegated = line.guard[1] == '!';
  std::string name = line.guard.substr(isNegated ? 2 : 1);
  std::string sign = isNegated ? "@!" : "@";
  switch (draft.rng.below(3)) {
  case 0:
    line.guard = (isNegated ? "@" : "@!") + name;
    break;
  case 1:
    line.guard = "";
    break;
  default:
    line.guard = sign + draft.otherRegister(name);
  }
  return draft.write();
}

bool changeTarget(Draft &draft) {
  PtxLine &line = draft.line;
  if (line.base() != "bra" || draft.around.labels.size() < 2)
    return false;
  std::string &label = line.operands.at(0), was = label;
  while (label == was)
    label = draft.rng.oneOf(draft.around.labels);
  return draft.write();
}

} // namespace hocket::mutations
