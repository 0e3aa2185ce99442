//===- Diagnostic.h - errors and notes, collected and rendered ------------===//
//
// All stages that know source ranges report here. Diagnostics are kept in the
// order they were reported; several errors make one run more useful than one.
//
//   engine.error(range, "no member 'atn' in 'Block'")
//       .note(declRange, "'Block' is declared here")
//       .suggest("atn", members);
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_DIAGNOSTIC_H
#define HOCKET_FRONTEND_DIAGNOSTIC_H

#include "hocket/Frontend/Source.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hocket::syntax {

/// A note below an error; without a range it is a plain `note: text`, whose
/// text may have several lines.
struct Note {
  SourceRange range;
  std::string text;
};

/// One error with its notes. Texts begin in lower case and have no final
/// period.
struct Diagnostic {
  SourceRange range;
  std::string text;
  std::vector<Note> notes;

  Diagnostic &note(SourceRange range, std::string text);
  Diagnostic &note(std::string text);
  /// Adds "did you mean 'x'?" for the candidate nearest to `written`, if one is
  /// near enough.
  Diagnostic &suggest(std::string_view written,
                      const std::vector<std::string> &candidates);
};

class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}

  /// Reports an error. The reference stays good until sortByPlace. An
  /// invalid range gives an error without a place.
  Diagnostic &error(SourceRange range, std::string text);

  /// Puts the errors from number `first` on in the order of their places; those
  /// of one file, which a lexer and a parser have reported in turn.
  void sortByPlace(size_t first);

  /// Forgets all errors but the first `count`.
  void truncate(size_t count) { diagnostics.resize(count); }

  bool hasErrors() const { return !diagnostics.empty(); }
  size_t getNumErrors() const { return diagnostics.size(); }
  const std::deque<Diagnostic> &getDiagnostics() const { return diagnostics; }
  Diagnostic &getDiagnostic(size_t number) { return diagnostics[number]; }
  const SourceManager &getSources() const { return sources; }

  /// `file:line:col: error: text`, the source line and a caret under the range,
  /// then the notes in the same form.
  std::string render() const;

private:
  const SourceManager &sources;
  std::deque<Diagnostic> diagnostics;
};

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a`
/// into `b`; at most `limit + 1` (meaning "more than limit").
unsigned editDistance(std::string_view a, std::string_view b, unsigned limit);

/// The candidate nearest to `written` within a third of its length (at least
/// one edit); ties go to the first. Letter case costs nothing.
std::optional<std::string> nearest(std::string_view written,
                                   const std::vector<std::string> &candidates);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_DIAGNOSTIC_H
