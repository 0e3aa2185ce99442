//===- Format.cpp - the canonical text of a file --------------------------===//

#include "hocket/Frontend/Format.h"
#include "Layout.h"

#include <algorithm>

using namespace hocket::syntax;

/// A line with a wider cell, or a comment behind wider code, is left out of the
/// columns of its neighbours.
static constexpr unsigned kMaxAlignedCell = 64;
static constexpr unsigned kMaxAlignedCode = 100;

/// Lines [begin, end).
using Run = std::pair<size_t, size_t>;

/// Splits the lines into maximal runs in which each line `fits` by itself and
/// `joins` the line before it.
template <typename Fits, typename Joins>
static std::vector<Run> findRuns(size_t count, Fits fits, Joins joins) {
  std::vector<Run> runs;
  for (size_t i = 0; i < count; ++i) {
    if (!fits(i))
      continue;
    if (!runs.empty() && runs.back().second == i && joins(i))
      runs.back().second = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  return runs;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static bool canAlign(const std::vector<Line> &lines, size_t i) {
  const Line &line = lines[i];
  if (line.group == 0 || line.cells.size() < 2 || line.isContinuation ||
      (i + 1 < lines.size() && lines[i + 1].isContinuation))
    return false;
  for (const Cell &cell : line.cells)
    if (&cell != &line.cells.back() && getWidth(cell.text) > kMaxAlignedCell)
      return false;
  return true;
}

/// The cells of one are the first cells of the other.
static bool haveLikeCells(const Line &a, const Line &b) {
  if (a.group != b.group || a.indent != b.indent)
    return false;
  for (size_t c = 0; c < std::min(a.cells.size(), b.cells.size()); ++c)
    if (a.cells[c].column != b.cells[c].column)
      return false;
  return true;
}

/// Pads the cells of neighbouring lines of one kind to columns.
static void alignCells(std::vector<Line> &lines) {
  auto runs = findRuns(
      lines.size(), [&](size_t i) { return canAlign(lines, i); },
      [&](size_t i) {
        return !lines[i].blankBefore && haveLikeCells(lines[i - 1], lines[i]);
      });
  for (auto [begin, end] : runs) {
    // A line's last cell is as wide as it is.
    bool any = true;
    for (size_t c = 0; any; ++c) {
      any = false;
      unsigned width = 0;
      for (size_t i = begin; i < end; ++i)
        if (c + 1 < lines[i].cells.size())
          width = std::max(width, getWidth(lines[i].cells[c].text));
      for (size_t i = begin; i < end; ++i) {
        if (c + 1 >= lines[i].cells.size())
          continue;
        any = true;
        std::string &text = lines[i].cells[c].text;
        text.append(width - getWidth(text), ' ');
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string getCode(const Line &line) {
  std::string text(line.cells.empty() ? 0 : line.indent, ' ');
  for (const Cell &cell : line.cells)
    text += (&cell == &line.cells.front() ? "" : " ") + cell.text;
  return text;
}

/// Columns at which trailing comments begin; 0 for lines without.
static std::vector<unsigned> placeComments(const std::vector<Line> &lines) {
  std::vector<unsigned> widths(lines.size()), places(lines.size());
  for (size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].cells.empty() && !lines[i].comment.empty())
      places[i] = (widths[i] = lines[i].indent + getCodeWidth(lines[i])) + 2;
  auto runs = findRuns(
      lines.size(),
      [&](size_t i) { return places[i] && widths[i] <= kMaxAlignedCode; },
      [&](size_t i) { return !lines[i].blankBefore; });
  for (auto [begin, end] : runs) {
    unsigned place =
        *std::max_element(places.begin() + begin, places.begin() + end);
    std::fill(places.begin() + begin, places.begin() + end, place);
  }
  return places;
}

static std::string renderLines(std::vector<Line> &lines) {
  alignCells(lines);
  std::vector<unsigned> places = placeComments(lines);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line &line = lines[i];
    std::string code = getCode(line);
    if (line.blankBefore)
      text += '\n';
    text += code;
    unsigned place = line.cells.empty() ? line.indent : places[i];
    if (!line.comment.empty())
      text += std::string(place - getWidth(code), ' ') + line.comment;
    text += '\n';
  }
  return text;
}

std::optional<std::string>
hocket::syntax::formatFile(const SourceManager &sources, FileId file,
                           DiagnosticEngine &diagnostics) {
  size_t before = diagnostics.getNumErrors();
  MarkedFile marked = parseMarked(sources, file, diagnostics);
  if (diagnostics.getNumErrors() != before)
    return std::nullopt;
  std::vector<Line> lines = layOut(sources, marked);
  return renderLines(lines);
}
