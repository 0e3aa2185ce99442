//===- PtxOperands.cpp - what instructions compute with -------------------===//

#include "test/Gpu/Mutations/PtxMutation.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace hocket::mutations {

/// Puts a register for one of the operands from `begin` to `end`.
static bool changeRegister(Draft &draft, size_t begin, size_t end) {
  std::vector<std::pair<size_t, std::string>> found;
  std::vector<std::string> &operands = draft.line.operands;
  for (size_t i = begin; i < std::min(end, operands.size()); ++i)
    for (const std::string &name : registersIn(operands[i]))
      found.emplace_back(i, name);
  if (found.empty())
    return false;
  auto [i, name] = draft.rng.oneOf(found);
  std::string other = draft.otherRegister(name);
  size_t at = operands[i].find(name);
  while (std::isdigit(static_cast<unsigned char>(
      (operands[i] + " ")[at + name.size()]))) // %r1 in %r12
    at = operands[i].find(name, at + 1);
  operands[i].replace(at, name.size(), other);
  return draft.write();
}

bool changeSource(Draft &draft) {
  return changeRegister(draft, draft.line.firstSource(), -1);
}

bool changeDestination(Draft &draft) {
  return changeRegister(draft, 0, draft.line.firstSource());
}

/// Whether the first two of its sources may be exchanged.
static bool isCommutative(const PtxLine &line) {
  static const std::set<std::string> commute = {
      "add", "mul", "and", "or", "xor", "min", "max", "fma", "mad"};
  return commute.count(line.base()) || line.has("eq") || line.has("ne");
}

bool exchangeOperands(Draft &draft) {
  PtxLine &line = draft.line;
  size_t first = line.firstSource();
  if (line.operands.size() < first + 2 || line.base() == "mma")
    return false;
  size_t a = first + draft.rng.below(line.operands.size() - first);
  size_t b = first + draft.rng.below(line.operands.size() - first);
  if (isCommutative(line) && a < first + 2 && b < first + 2)
    return false;
  auto isPlain = [&](size_t i) {
    const std::string &operand = line.operands[i];
    return operand[0] != '[' && operand[0] != '{';
  };
  auto typeOf = [&](size_t i) {
    return isRegister(line.operands[i]) ? prefixOf(line.operands[i]) : "";
  };
  // A predicate is no number.
  if (!isPlain(a) || !isPlain(b) ||
      (typeOf(a) != typeOf(b) && (typeOf(a) == "%p" || typeOf(b) == "%p")))
    return false;
  std::swap(line.operands[a], line.operands[b]);
  return draft.write();
}

static bool isInteger(const std::string &text) {
  size_t first = text[0] == '-' ? 1 : 0;
  return first < text.size() &&
         std::all_of(
             text.begin() + first, text.end(),
             [](unsigned char c) { return std::isdigit(c); });
}

static std::string changedInteger(const std::string &text, Rng &rng) {
  auto number = static_cast<int64_t>(std::strtoull(text.c_str(), nullptr, 10));
  if (text[0] == '-')
    number = std::strtoll(text.c_str(), nullptr, 10);
  const int64_t choices[] = {number + 1, number - 1, number / 2,
                             number ^ (int64_t(1) << rng.below(5)),
                             number == 0 ? 2 : 0};
  int64_t next = choices[rng.below(5)];
  return std::to_string(next == number ? number + 1 : next);
}

/// 0f3F800000 and 0d3FF0000000000000.
static bool isFloat(const std::string &text) {
  return text.size() > 2 && text[0] == '0' &&
         (text[1] == 'f' || text[1] == 'd');
}

/// Its sign, its exponent, one of the higher bits behind it, or all of it.
static std::string changedFloat(const std::string &text, Rng &rng) {
  const int digits = text[1] == 'f' ? 8 : 16;
  const int mantissa = digits == 8 ? 23 : 52, width = digits * 4;
  uint64_t bits = std::strtoull(text.c_str() + 2, nullptr, 16);
  switch (rng.below(4)) {
  case 0:
    bits ^= uint64_t(1) << (width - 1);
    break;
  case 1:
    bits ^= uint64_t(1) << mantissa;
    break;
  case 2:
    bits ^= uint64_t(1) << (mantissa - 1 - rng.below(12));
    break;
  default:
    bits = bits ? 0 : digits == 8 ? 0x3f800000 : 0x3ff0000000000000;
  }
  char out[32];
  std::snprintf(out, sizeof out, "0%c%0*llX", text[1], digits,
                static_cast<unsigned long long>(bits));
  return out;
}

bool changeConstant(Draft &draft) {
  PtxLine &line = draft.line;
  std::vector<size_t> found;
  for (size_t i = line.firstSource(); i < line.operands.size(); ++i)
    if (isInteger(line.operands[i]) || isFloat(line.operands[i]))
      found.push_back(i);
  // Of exchanges constants have a kind of their own; other sizes of a copy are
  // refused.
  if (found.empty() || line.base() == "shfl" || line.base() == "cp")
    return false;
  std::string &operand = line.operands[draft.rng.oneOf(found)];
  operand = isFloat(operand) ? changedFloat(operand, draft.rng)
                             : changedInteger(operand, draft.rng);
  return draft.write();
}

static bool isOfParameter(const PtxLine &line) {
  return line.base() == "ld" && line.has("param");
}

bool changeAddress(Draft &draft) {
  PtxLine &line = draft.line;
  std::vector<size_t> found;
  for (size_t i = 0; i < line.operands.size(); ++i)
    if (line.operands[i][0] == '[' && !isOfParameter(line))
      found.push_back(i);
  if (found.empty())
    return false;
  std::string &operand = line.operands[draft.rng.oneOf(found)];
  static const std::vector<const char *> offsets = {"1",  "2",  "4",  "8",
                                                    "16", "-4", "-8", "-16"};
  operand.insert(operand.size() - 1,
                 std::string("+") + draft.rng.oneOf(offsets));
  return draft.write();
}

/// Another offset in it, or another one.
bool changeParameter(Draft &draft) {
  PtxLine &line = draft.line;
  if (!isOfParameter(line))
    return false;
  std::string &operand = line.operands.at(1);
  size_t end = operand.find_first_of("+]");
  const std::vector<std::string> &all = draft.around.parameters;
  if (all.size() > 1 && draft.rng.chance(0.5))
    operand.replace(1, end - 1, draft.rng.oneOf(all));
  else
    operand.insert(operand.size() - 1, draft.rng.chance(0.5) ? "+8" : "+4");
  return draft.write();
}

bool changeSpecial(Draft &draft) {
  static const std::vector<std::string> names = {
      "%tid.x",   "%tid.y",    "%ntid.x", "%ctaid.x",
      "%ctaid.y", "%nctaid.x", "%laneid", "%nctaid.y"};
  PtxLine &line = draft.line;
  for (std::string &operand : line.operands)
    if (operand[0] == '%' &&
        (operand.find('.') != std::string::npos || operand == "%laneid"))
      operand = draft.rng.oneOf(names);
  return draft.write();
}

static bool exchangeParts(Draft &draft) {
  std::vector<size_t> vectors;
  std::vector<std::string> &operands = draft.line.operands;
  for (size_t i = 0; i < operands.size(); ++i)
    if (partsOf(operands[i]).size() > 1)
      vectors.push_back(i);
  if (vectors.empty())
    return false;
  std::string &operand = operands[draft.rng.oneOf(vectors)];
  std::vector<std::string> parts = partsOf(operand);
  size_t a = draft.rng.below(parts.size()), b = draft.rng.below(parts.size());
  if (parts[a] == parts[b])
    return false;
  std::swap(parts[a], parts[b]);
  operand = joined(parts);
  return draft.write();
}

static bool isOfFragments(const PtxLine &line) {
  return line.base() == "mma" || line.base() == "ldmatrix" ||
         line.base() == "stmatrix";
}

bool exchangeElements(Draft &draft) {
  return !isOfFragments(draft.line) && exchangeParts(draft);
}

bool exchangeFragments(Draft &draft) {
  return isOfFragments(draft.line) && exchangeParts(draft);
}

/// A variable of shared memory that the line names.
bool shrinkShared(Draft &draft) {
  for (const std::string &operand : draft.line.operands) {
    size_t begin = operand[0] == '[' ? 1 : 0;
    std::string name =
        operand.substr(begin, operand.find_first_of("+]", begin) - begin);
    if (name.empty() || name[0] == '%' || std::isdigit(name[0]))
      continue; // no variable: not to be looked for
    for (size_t i = 0; i < draft.around.end; ++i) {
      std::string &line = draft.lines[i];
      size_t at = line.find(" " + name + "[");
      if (at == std::string::npos || line.find(".shared ") == std::string::npos)
        continue;
      size_t number = at + name.size() + 2, end = line.find(']', number);
      uint64_t bytes = std::strtoull(line.c_str() + number, nullptr, 10);
      if (bytes < 2)
        return false; // extern: the launch says how many
      line.replace(number, end - number, std::to_string(bytes / 2));
      return true;
    }
  }
  return false;
}

} // namespace hocket::mutations
