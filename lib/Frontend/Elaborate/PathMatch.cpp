//===- PathMatch.cpp - matching one path against a pattern ----------------===//

#include "PathMatch.h"
#include <algorithm>
#include <functional>

using namespace hocket::syntax;

namespace {

using Components = std::vector<std::string>;
using Next = std::function<bool(size_t)>;

bool matchFrom(const PathPattern &pattern, size_t component,
               const Components &path, size_t at, const Next &next);

bool matchGlob(const char *glob, const char *text) {
  if (*glob == '*')
    return matchGlob(glob + 1, text) || (*text && matchGlob(glob, text + 1));
  if (!*glob || !*text)
    return *glob == *text;
  return *glob == *text && matchGlob(glob + 1, text + 1);
}

std::optional<int64_t> literal(const ExprPtr &expr) {
  auto *value = dynAs<IntExpr>(expr);
  return value ? std::optional(value->value) : std::nullopt;
}

bool selects(const IndexSelector &selector, int64_t index) {
  switch (selector.kind) {
  case IndexSelector::Kind::Single:
    return literal(selector.lo) == index;
  case IndexSelector::Kind::Range:
    return index >= literal(selector.lo).value_or(0) &&
           index < literal(selector.hi).value_or(INT64_MAX);
  case IndexSelector::Kind::Even:
    return index % 2 == 0;
  case IndexSelector::Kind::Odd:
    return index % 2 == 1;
  }
  return false;
}

bool isIndex(const std::string &text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(
             text.begin(), text.end(),
             [](char c) { return c >= '0' && c <= '9'; });
}

bool matchOne(const PatternComponent &component, const std::string &text) {
  switch (component.kind) {
  case PatternComponent::Kind::Name:
    return component.text == text;
  case PatternComponent::Kind::Glob:
    return matchGlob(component.text.c_str(), text.c_str());
  case PatternComponent::Kind::Any:
    return true;
  case PatternComponent::Kind::Index:
    return isIndex(text) &&
           std::any_of(component.selectors.begin(), component.selectors.end(),
                       [&](const IndexSelector &selector) {
                         return selects(selector, std::stoll(text));
                       });
  default:
    return false;
  }
}

bool matchFrom(const PathPattern &pattern, size_t component,
               const Components &path, size_t at, const Next &next) {
  if (component == pattern.components.size())
    return next(at);
  const PatternComponent &head = pattern.components[component];
  if (head.kind == PatternComponent::Kind::AnyDepth) {
    for (size_t end = at; end <= path.size(); ++end)
      if (matchFrom(pattern, component + 1, path, end, next))
        return true;
    return false;
  }
  if (head.kind == PatternComponent::Kind::Alternation) {
    for (const PathPattern &branch : head.branches)
      if (matchFrom(branch, 0, path, at, [&](size_t end) {
            return matchFrom(pattern, component + 1, path, end, next);
          }))
        return true;
    return false;
  }
  return at < path.size() && matchOne(head, path[at]) &&
         matchFrom(pattern, component + 1, path, at + 1, next);
}

} // namespace

bool hocket::frontend::matchesPath(const PathPattern &pattern,
                                   const std::string &path) {
  Components components;
  for (size_t begin = 0; begin <= path.size() && !path.empty();) {
    size_t end = std::min(path.find('.', begin), path.size());
    components.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return matchFrom(pattern, 0, components, 0,
                   [&](size_t end) { return end == components.size(); });
}
