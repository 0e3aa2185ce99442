//===- NameMap.cpp - names of a file as a model's -------------------------===//

#include "hocket/Io/NameMap.h"
#include <algorithm>

namespace hocket::runtime {

/// Texts and the stars between them: "a.*.**" is {"a.", ".", ""}, {"*", "**"}.
struct Pieces {
  std::vector<std::string> texts{""};
  std::vector<std::string> stars;

  explicit Pieces(const std::string &pattern) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '*') {
        texts.back() += pattern[i];
        continue;
      }
      bool isDouble = i + 1 < pattern.size() && pattern[i + 1] == '*';
      stars.push_back(isDouble ? "**" : "*");
      texts.push_back("");
      i += isDouble;
    }
  }
};

/// Matches `name` from `at` on against what follows star `star` of `pieces`;
/// fills `found` from there. Stars take as little as they can.
static bool matchStars(const Pieces &pieces, size_t star,
                       const std::string &name, size_t at,
                       std::vector<std::string> &found) {
  if (star == pieces.stars.size())
    return at == name.size();
  const std::string &text = pieces.texts[star + 1];
  bool isLast = star + 1 == pieces.stars.size();
  for (size_t end = at; end <= name.size(); ++end) {
    if (end > at && name[end - 1] == '.' && pieces.stars[star] == "*")
      return false;
    if (isLast && end + text.size() != name.size())
      continue;
    if (name.compare(end, text.size(), text) != 0)
      continue;
    found[star] = name.substr(at, end - at);
    if (matchStars(pieces, star + 1, name, end + text.size(), found))
      return true;
  }
  return false;
}

std::optional<RenameRule> RenameRule::parse(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return std::nullopt;
  RenameRule rule{text.substr(0, equals), text.substr(equals + 1)};
  constexpr size_t mostStars = 8; // matching tries every way
  size_t stars = Pieces(rule.from).stars.size();
  if (stars > mostStars || Pieces(rule.from).stars != Pieces(rule.to).stars)
    return std::nullopt;
  return rule;
}

std::optional<std::string> RenameRule::apply(const std::string &name) const {
  Pieces pieces(from), result(to);
  const std::string &front = pieces.texts[0];
  std::vector<std::string> found(pieces.stars.size());
  if (name.compare(0, front.size(), front) != 0 ||
      !matchStars(pieces, 0, name, front.size(), found))
    return std::nullopt;
  std::string called = result.texts[0];
  for (size_t i = 0; i < found.size(); ++i)
    called += found[i] + result.texts[i + 1];
  return called;
}

std::string NameMap::apply(const std::string &name) const {
  for (const RenameRule &rule : rules)
    if (std::optional<std::string> called = rule.apply(name))
      return *called;
  if (own.count(name))
    return name;
  size_t longest = 0;
  for (const std::string &prefix : prefixes)
    if (prefix.size() < name.size() && prefix.size() > longest &&
        name.compare(0, prefix.size(), prefix) == 0)
      longest = prefix.size();
  return name.substr(longest);
}

} // namespace hocket::runtime
