//===- Edit.cpp - a small change of PTX, by its text ----------------------===//

#include "test/Gpu/Defects/Edit.h"
#include <regex>
#include <vector>

namespace hocket::test {

namespace {

/// The part of a line without white space at its ends.
struct Span {
  size_t begin, end;
};

std::vector<Span> linesOf(const std::string &text) {
  const char *space = " \t";
  std::vector<Span> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    size_t first = text.find_first_not_of(space, begin);
    size_t last = end ? text.find_last_not_of(space, end - 1) : 0;
    if (first < end)
      lines.push_back({first, last + 1});
    begin = end + 1;
  }
  return lines;
}

} // namespace

std::optional<std::string> edited(const std::string &text, const Edit &edit) {
  std::regex pattern(edit.pattern);
  std::vector<Span> matching;
  for (Span line : linesOf(text))
    if (std::regex_match(text.begin() + line.begin, text.begin() + line.end,
                         pattern))
      matching.push_back(line);
  size_t number = edit.number < 0 ? matching.size() + edit.number + 1
                                  : static_cast<size_t>(edit.number);
  if (number < 1 || number > matching.size())
    return std::nullopt;
  Span line = matching[number - 1];
  return text.substr(0, line.begin) +
         std::regex_replace(text.substr(line.begin, line.end - line.begin),
                            pattern, edit.replacement) +
         text.substr(line.end);
}

} // namespace hocket::test
