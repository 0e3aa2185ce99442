//===- Render.cpp - diagnostics as text and as JSON -----------------------===//

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

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// The length of the well-formed UTF-8 sequence at `i`, or 0.
static size_t getSequenceLength(std::string_view text, size_t i) {
  auto lead = static_cast<unsigned char>(text[i]);
  size_t length = lead < 0x80   ? 1
                  : lead < 0xC2 ? 0
                  : lead < 0xE0 ? 2
                  : lead < 0xF0 ? 3
                  : lead < 0xF5 ? 4
                                : 0;
  if (i + length > text.size())
    return 0;
  for (size_t k = 1; k < length; ++k)
    if (!isContinuation(text[i + k]))
      return 0;
  // Overlong forms, surrogates and what lies above U+10FFFF.
  auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

/// A JSON string; bytes that are not UTF-8 become U+FFFD.
static std::string quoteJson(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    size_t length = getSequenceLength(text, i);
    char c = text[i];
    if (length == 0) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (length > 1) {
      out += text.substr(i, length);
    } else if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      out += buffer;
    } else {
      out += c;
    }
    i += length;
  }
  return out + "\"";
}

/// The members `"file": ..., ..., "message": ...`, without braces.
static std::string renderMembers(const SourceManager &sources,
                                 const SourceRange &range,
                                 const std::string &message) {
  std::string out;
  if (range.isValid()) {
    LineColumn begin = sources.getLineColumn(range);
    LineColumn end = sources.getLineColumn(range.file, range.end);
    out += "\"file\": " + quoteJson(sources.getName(range.file)) +
           ", \"line\": " + std::to_string(begin.line) +
           ", \"column\": " + std::to_string(begin.column) +
           ", \"endLine\": " + std::to_string(end.line) +
           ", \"endColumn\": " + std::to_string(end.column) + ", ";
  }
  return out + "\"message\": " + quoteJson(message);
}

std::string DiagnosticEngine::renderJson() const {
  std::string out = "{\"errors\": [";
  const char *separator = "\n";
  for (const Diagnostic &diagnostic : diagnostics) {
    out += separator;
    out += "  {" + renderMembers(sources, diagnostic.range, diagnostic.text) +
           ", \"notes\": [";
    for (size_t i = 0; i < diagnostic.notes.size(); ++i) {
      const Note &note = diagnostic.notes[i];
      out += (i ? ", {" : "{") + renderMembers(sources, note.range, note.text) +
             "}";
    }
    out += "]}";
    separator = ",\n";
  }
  return out + (diagnostics.empty() ? "]}\n" : "\n]}\n");
}
