//===- RearrangePattern.cpp - parsing and sizing einops patterns ----------===//

#include "RearrangePattern.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::frontend;

namespace {

class PatternParser {
public:
  PatternParser(const std::string &text, RearrangePattern &pattern,
                std::string &problem)
      : text(text), pattern(pattern), problem(problem) {}

  bool parse() {
    if (!parseSide(pattern.left, true))
      return false;
    if (text.compare(position, 2, "->") != 0)
      return fail("expected '->' in the pattern");
    position += 2;
    used.assign(pattern.axes.size(), false);
    if (!parseSide(pattern.right, false))
      return false;
    if (position != text.size())
      return fail("expected the end of the pattern after its right side");
    for (size_t i = 0; i < used.size(); ++i)
      if (!used[i])
        return fail("'" + pattern.axes[i].name +
                    "' is on the left of '->' and not on the right");
    return true;
  }

private:
  bool fail(std::string sentence) {
    problem = std::move(sentence);
    return false;
  }

  void skipSpace() {
    while (position < text.size() && text[position] == ' ')
      ++position;
  }

  bool parseSide(std::vector<std::vector<size_t>> &groups, bool isLeft) {
    for (skipSpace(); position < text.size(); skipSpace()) {
      char next = text[position];
      if (next == '-')
        break;
      groups.emplace_back();
      if (next == '1') {
        ++position;
      } else if (next == '(') {
        ++position;
        for (skipSpace(); position < text.size() && text[position] != ')' &&
                          text[position] != '-';
             skipSpace())
          if (!parseAxis(groups.back(), isLeft))
            return false;
        if (position == text.size() || text[position] != ')')
          return fail("expected ')' in the pattern");
        ++position;
      } else if (!parseAxis(groups.back(), isLeft)) {
        return false;
      }
    }
    return true;
  }

  bool parseAxis(std::vector<size_t> &group, bool isLeft) {
    size_t begin = position;
    auto isWord = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    while (position < text.size() && isWord(text[position]))
      ++position;
    std::string name = text.substr(begin, position - begin);
    if (name.empty())
      return fail(std::string("unexpected '") + text[position] +
                  "' in the pattern");
    auto found = std::find_if(
        pattern.axes.begin(), pattern.axes.end(),
        [&](const RearrangePattern::Axis &axis) { return axis.name == name; });
    size_t index = found - pattern.axes.begin();
    if (isLeft) {
      if (found != pattern.axes.end())
        return fail("'" + name + "' is twice on the left of '->'");
      pattern.axes.push_back({name, 0, {}});
    } else {
      if (found == pattern.axes.end())
        return fail("'" + name + "' is on the right of '->' only");
      if (used[index])
        return fail("'" + name + "' is twice on the right of '->'");
      used[index] = true;
    }
    group.push_back(index);
    return true;
  }

  const std::string &text;
  RearrangePattern &pattern;
  std::string &problem;
  size_t position = 0;
  std::vector<bool> used;
};

} // namespace

bool frontend::parseRearrange(const std::string &text,
                              RearrangePattern &pattern, std::string &problem) {
  return PatternParser(text, pattern, problem).parse();
}

/// Sizes of one group over a dim. Factors of the tensor say most; then names in
/// scope; one unknown is what is left.
static bool sizeGroup(
    RearrangePattern &pattern, const std::vector<size_t> &group,
    nn::DimAttr dim,
    const std::function<std::optional<int64_t>(const std::string &)> &sizeOf,
    std::string &problem) {
  auto factors = dim.getFactors();
  int64_t extent = dim.getSize();
  // Factors that a name in scope contradicts are not the ones meant: with
  // `let n = 2`, (n b) of a dim (3, 2) is 2 by 3.
  auto isMeant = [&](size_t i) {
    auto size = sizeOf(pattern.axes[group[i]].name);
    return !size || *size == factors[i].getSize();
  };
  bool areMeant = group.size() == factors.size();
  for (size_t i = 0; areMeant && i < group.size(); ++i)
    areMeant = isMeant(i);
  if (areMeant) {
    for (size_t i = 0; i < group.size(); ++i)
      pattern.axes[group[i]].size = factors[i].getSize();
    return true;
  }
  int64_t known = 1;
  std::optional<size_t> unknown;
  std::string names;
  for (size_t axis : group) {
    names += (names.empty() ? "" : " ") + pattern.axes[axis].name;
    if (auto size = sizeOf(pattern.axes[axis].name)) {
      pattern.axes[axis].size = *size;
      known *= *size;
    } else if (unknown) {
      problem = "the sizes of '" + pattern.axes[*unknown].name + "' and '" +
                pattern.axes[axis].name + "' do not follow from a dim of " +
                std::to_string(extent) + "; state one of them: let " +
                pattern.axes[*unknown].name + " = ...";
      return false;
    } else {
      unknown = axis;
    }
  }
  bool fits = unknown ? known > 0 && extent % known == 0 : known == extent;
  if (!fits) {
    problem = "(" + names + ") takes a dim apart into parts of " +
              std::to_string(known) + ", but its size is " +
              std::to_string(extent);
    return false;
  }
  if (unknown)
    pattern.axes[*unknown].size = extent / known;
  return true;
}

bool frontend::sizeRearrange(
    RearrangePattern &pattern, nn::LayoutAttr layout,
    const std::function<std::optional<int64_t>(const std::string &)> &sizeOf,
    std::string &problem) {
  auto dims = layout.getDims();
  if (dims.size() != pattern.left.size()) {
    problem = "the pattern has " + std::to_string(pattern.left.size()) +
              " dims on its left, the tensor " + std::to_string(dims.size());
    return false;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::vector<size_t> &group = pattern.left[i];
    if (group.empty() && dims[i].getSize() != 1) {
      problem = "the pattern has 1 for a dim of size " +
                std::to_string(dims[i].getSize());
      return false;
    }
    // A single name over a product dim keeps the product as one axis.
    if (group.size() == 1) {
      pattern.axes[group[0]].size = dims[i].getSize();
      if (dims[i].getFactors().size() > 1)
        pattern.axes[group[0]].product = dims[i];
      continue;
    }
    if (!group.empty() && !sizeGroup(pattern, group, dims[i], sizeOf, problem))
      return false;
  }
  return true;
}
