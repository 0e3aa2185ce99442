//===- Render.cpp - diagnostics as text -----------------------------------===//

#include "hocket/Frontend/Diagnostic.h"

#include <algorithm>
#include <cstdio>

using namespace hocket::syntax;

/// Longer source lines are shown in part.
static constexpr size_t kMaxShown = 160;

static bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The source line and under it a caret with a tail as wide as the range (to
/// the line's end at most). Widths count code points; tabs are copied.
static std::string renderLine(const SourceManager &sources,
                              const SourceRange &range) {
  LineColumn place = sources.getLineColumn(range);
  std::string_view line = sources.getLine(range.file, place.line);
  size_t begin = std::min<size_t>(place.column - 1, line.size());
  size_t end = std::min(line.size(), begin + range.size());
  std::string prefix, suffix;
  if (line.size() > kMaxShown) {
    size_t from = begin > kMaxShown / 2 ? begin - kMaxShown / 2 : 0;
    while (from > 0 && from < line.size() && isContinuation(line[from]))
      ++from;
    size_t to = std::min(line.size(), from + kMaxShown);
    prefix = from > 0 ? "..." : "";
    suffix = to < line.size() ? "..." : "";
    line = line.substr(from, to - from);
    begin -= from;
    end = std::min(end - from, line.size());
  }
  std::string text = prefix, caret(prefix.size(), ' ');
  for (size_t i = 0; i < line.size(); ++i) {
    bool control = static_cast<unsigned char>(line[i]) < ' ' && line[i] != '\t';
    text += control ? '?' : line[i];
    if (i < begin && !isContinuation(line[i]))
      caret += line[i] == '\t' ? '\t' : ' ';
    else if (i > begin && i < end && !isContinuation(line[i]))
      caret += '~';
    else if (i == begin)
      caret += '^';
  }
  if (begin >= line.size())
    caret += '^';
  return text + suffix + "\n" + caret + "\n";
}

static void renderOne(const SourceManager &sources, const SourceRange &range,
                      const char *severity, const std::string &message,
                      std::string &out) {
  if (range.isValid()) {
    LineColumn place = sources.getLineColumn(range);
    out += sources.getName(range.file) + ":" + std::to_string(place.line) +
           ":" + std::to_string(place.column) + ": ";
  }
  out += std::string(severity) + ": " + message + "\n";
  if (range.isValid())
    out += renderLine(sources, range);
}

std::string DiagnosticEngine::render() const {
  std::string out;
  for (const Diagnostic &diagnostic : diagnostics) {
    renderOne(sources, diagnostic.range, "error", diagnostic.text, out);
    for (const Note &note : diagnostic.notes)
      renderOne(sources, note.range, "note", note.text, out);
  }
  return out;
}
