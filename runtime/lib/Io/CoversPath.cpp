//===- CoversPath.cpp - path patterns against names in a file -------------===//

#include "hocket/Io/TensorCheck.h"
#include <string_view>

namespace hocket::runtime {

namespace {

using Text = std::string_view;

/// The next component of `rest`, up to a dot outside braces; removes it.
Text takeComponent(Text &rest) {
  int depth = 0;
  size_t end = 0;
  while (end < rest.size() && (depth > 0 || rest[end] != '.')) {
    depth += rest[end] == '{' || rest[end] == '[';
    depth -= rest[end] == '}' || rest[end] == ']';
    ++end;
  }
  Text component = rest.substr(0, end);
  rest.remove_prefix(end < rest.size() ? end + 1 : end);
  return component;
}

bool coversRest(Text pattern, Text path);

/// Reads "[0..3]" into an interval that includes both ends.
bool parseRange(Text text, int64_t &first, int64_t &last) {
  int64_t numbers[2] = {0, 0};
  size_t at = 1;
  for (int i = 0; i < 2; ++i) {
    size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(numbers[i], 10, &numbers[i]) ||
          __builtin_add_overflow(numbers[i], text[at] - '0', &numbers[i]))
        return false;
    Text after = i == 0 ? ".." : "]";
    if (at == begin || text.substr(at, after.size()) != after)
      return false;
    at += after.size();
  }
  first = numbers[0];
  last = numbers[1];
  return at == text.size();
}

bool isIndexIn(Text component, int64_t first, int64_t last) {
  int64_t value = 0;
  for (char c : component)
    if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, c - '0', &value))
      return false;
  return !component.empty() && value >= first && value <= last;
}

/// Whether `pattern` without braces matches all of `component`; `*` is any
/// text.
bool matchesText(Text pattern, Text component) {
  int64_t first, last;
  if (!pattern.empty() && pattern[0] == '[')
    return parseRange(pattern, first, last) &&
           isIndexIn(component, first, last);
  // The last star may be retried with one more character: no recursion.
  size_t p = 0, c = 0, star = Text::npos, retry = 0;
  while (c < component.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = c;
    } else if (p < pattern.size() && pattern[p] == component[c]) {
      ++p;
      ++c;
    } else if (star != Text::npos) {
      p = star + 1;
      c = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

/// Tries each alternative of the first braces of the pattern's first
/// component, in place of the braces.
bool coversAlternatives(Text pattern, size_t open, size_t close, Text path) {
  size_t begin = open + 1;
  while (begin <= close) {
    size_t end = begin;
    int depth = 0;
    while (end < close && (depth > 0 || pattern[end] != ',')) {
      depth += pattern[end] == '{';
      depth -= pattern[end] == '}';
      ++end;
    }
    std::string expanded(pattern.substr(0, open));
    expanded += pattern.substr(begin, end - begin);
    expanded += pattern.substr(close + 1);
    if (coversRest(expanded, path))
      return true;
    begin = end + 1;
  }
  return false;
}

size_t closingBrace(Text pattern, size_t open) {
  int depth = 0;
  for (size_t i = open; i < pattern.size(); ++i) {
    depth += pattern[i] == '{';
    depth -= pattern[i] == '}';
    if (depth == 0)
      return i;
  }
  return Text::npos;
}

bool coversRest(Text pattern, Text path) {
  while (!pattern.empty()) {
    Text rest = pattern;
    Text first = takeComponent(rest);
    if (size_t open = first.find('{'); open != Text::npos) {
      size_t close = closingBrace(pattern, open);
      return close != Text::npos &&
             coversAlternatives(pattern, open, close, path);
    }
    if (first == "**") {
      for (Text below = path;; takeComponent(below)) {
        if (coversRest(rest, below))
          return true;
        if (below.empty())
          return false;
      }
    }
    if (path.empty() || !matchesText(first, takeComponent(path)))
      return false;
    pattern = rest;
  }
  return true; // all of the pattern met: it covers what lies below, too
}

} // namespace

bool coversPath(const std::string &pattern, const std::string &path) {
  return !pattern.empty() && coversRest(pattern, path);
}

} // namespace hocket::runtime
