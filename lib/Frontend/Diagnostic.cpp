//===- Diagnostic.cpp - collecting diagnostics and near names -------------===//

#include "hocket/Frontend/Diagnostic.h"

#include <algorithm>

using namespace hocket::syntax;

Diagnostic &Diagnostic::note(SourceRange range, std::string text) {
  notes.push_back({range, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::note(std::string text) {
  return note(SourceRange(), std::move(text));
}

Diagnostic &Diagnostic::suggest(std::string_view written,
                                const std::vector<std::string> &candidates) {
  if (auto name = nearest(written, candidates))
    note("did you mean '" + *name + "'?");
  return *this;
}

Diagnostic &DiagnosticEngine::error(SourceRange range, std::string text) {
  diagnostics.push_back({range, std::move(text), {}});
  return diagnostics.back();
}

void DiagnosticEngine::sortByPlace(size_t first) {
  // Insertion keeps the order of errors at one place; they are few.
  for (size_t i = first + 1; i < diagnostics.size(); ++i)
    for (size_t j = i; j > first && diagnostics[j].range.begin <
                                        diagnostics[j - 1].range.begin;
         --j)
      std::swap(diagnostics[j], diagnostics[j - 1]);
}

unsigned hocket::syntax::editDistance(std::string_view a, std::string_view b,
                                      unsigned limit) {
  size_t longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > limit)
    return limit + 1;
  // Three rows of the table; a swap looks two rows back.
  std::vector<unsigned> before(b.size() + 1), above(b.size() + 1),
      row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = static_cast<unsigned>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = static_cast<unsigned>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      unsigned change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return std::min(row[b.size()], limit + 1);
}

static std::string toLower(std::string_view text) {
  std::string lower(text);
  for (char &c : lower)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::optional<std::string>
hocket::syntax::nearest(std::string_view written,
                        const std::vector<std::string> &candidates) {
  if (written.empty() || written.size() > 200)
    return std::nullopt;
  std::string lower = toLower(written);
  auto limit = static_cast<unsigned>(std::max<size_t>(1, written.size() / 3));
  std::optional<std::string> best;
  for (const std::string &candidate : candidates) {
    unsigned distance = editDistance(lower, toLower(candidate), limit);
    // A one-letter name is near to no other.
    if (distance > limit || distance >= lower.size() || candidate == written)
      continue;
    best = candidate;
    if (distance == 0)
      break;
    limit = distance - 1;
  }
  return best;
}
