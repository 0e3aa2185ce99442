//===- PtxLine.cpp - an instruction in a line of PTX ----------------------===//

#include "test/Gpu/Mutations/PtxLine.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace hocket::mutations {

bool PtxLine::has(const std::string &modifier) const {
  return std::find(opcode.begin() + 1, opcode.end(), modifier) != opcode.end();
}

bool PtxLine::replace(const std::string &modifier, const std::string &by) {
  auto found = std::find(opcode.begin() + 1, opcode.end(), modifier);
  if (found == opcode.end())
    return false;
  if (by.empty())
    opcode.erase(found);
  else
    *found = by;
  return true;
}

size_t PtxLine::firstSource() const {
  static const std::set<std::string> withoutResult = {
      "st", "red",  "bar",      "barrier", "bra",   "brx",  "ret",     "exit",
      "cp", "trap", "stmatrix", "membar",  "fence", "call", "prefetch"};
  return withoutResult.count(base()) ? 0 : 1;
}

std::string PtxLine::text() const {
  std::string text = before + guard + (guard.empty() ? "" : " ");
  for (size_t i = 0; i < opcode.size(); ++i)
    text += (i ? "." : "") + opcode[i];
  for (size_t i = 0; i < operands.size(); ++i)
    text += (i ? ", " : " ") + operands[i];
  return text + after;
}

std::string PtxLine::emptied() const { return before + after; }

/// From `begin` to `end`, without white space there.
static std::string trimmed(const std::string &text, size_t begin, size_t end) {
  while (begin < end && std::isspace(static_cast<unsigned char>(text[begin])))
    ++begin;
  while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1])))
    --end;
  return text.substr(begin, end - begin);
}

/// What stands between commas that are in no brackets.
static std::vector<std::string> listed(const std::string &text) {
  std::vector<std::string> items;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    depth +=
        (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
    if (c != ',' || depth)
      continue;
    std::string item = trimmed(text, begin, i);
    if (!item.empty())
      items.push_back(item);
    begin = i + 1;
  }
  return items;
}

std::optional<PtxLine> readPtxLine(const std::string &line) {
  size_t semicolon = line.find(';');
  if (semicolon == std::string::npos ||
      line.find(';', semicolon + 1) != std::string::npos)
    return std::nullopt;
  PtxLine read;
  size_t at = line.find_first_not_of(" \t{");
  read.before = line.substr(0, at);
  read.after = line.substr(semicolon);
  if (line[at] == '@') {
    size_t end = line.find_first_of(" \t", at);
    if (end == std::string::npos)
      return std::nullopt;
    read.guard = line.substr(at, end - at);
    at = line.find_first_not_of(" \t", end);
  }
  if (!std::islower(static_cast<unsigned char>(line[at])))
    return std::nullopt; // a directive, a comment, a label
  size_t end = std::min(line.find_first_of(" \t", at), semicolon);
  std::string opcode = line.substr(at, end - at);
  for (size_t begin = 0; begin <= opcode.size();) {
    size_t dot = std::min(opcode.find('.', begin), opcode.size());
    read.opcode.push_back(opcode.substr(begin, dot - begin));
    begin = dot + 1;
  }
  read.operands = listed(line.substr(end, semicolon - end));
  return read;
}

std::vector<std::string> partsOf(const std::string &operand) {
  if (operand.size() < 2 || operand.front() != '{' || operand.back() != '}')
    return {};
  return listed(operand.substr(1, operand.size() - 2));
}

std::string joined(const std::vector<std::string> &parts) {
  std::string text = "{";
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i ? ", " : "") + parts[i];
  return text + "}";
}

std::vector<std::string> registersIn(const std::string &operand) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = operand.find('%', at)) != std::string::npos;) {
    size_t end = at + 1;
    while (end < operand.size() &&
           (std::isalnum(static_cast<unsigned char>(operand[end])) ||
            operand[end] == '_'))
      ++end;
    bool isSpecial = end < operand.size() && operand[end] == '.';
    std::string name = operand.substr(at, end - at);
    if (!isSpecial && std::isdigit(static_cast<unsigned char>(name.back())))
      names.push_back(name);
    at = end;
  }
  return names;
}

bool isRegister(const std::string &operand) {
  std::vector<std::string> names = registersIn(operand);
  return names.size() == 1 && names[0] == operand;
}

std::string prefixOf(const std::string &name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

} // namespace hocket::mutations
