//===- Wording.cpp - a changed text as a proposal -------------------------===//

#include "Wording.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

using namespace hocket;
using namespace hocket::advice;
using namespace hocket::syntax;

using Lines = std::vector<std::string>;

/// The place in the user's own lines of a place between lines of `before`:
/// behind the nearest line above that both have.
static size_t ownPlace(const Lines &own, const Lines &before, size_t place) {
  size_t at = 0, ownAt = 0;
  for (const Hunk &hunk : differences(own, before)) {
    if (hunk.newEnd > place)
      return hunk.newBegin < place ? hunk.end : ownAt + (place - at);
    at = hunk.newEnd;
    ownAt = hunk.end;
  }
  return ownAt + (place - at);
}

/// A line without its comment.
static std::string trimmed(const std::string &line) {
  llvm::StringRef text(line);
  return text.contains('"') ? text.trim().str()
                            : text.split('#').first.trim().str();
}

/// The schedule ends there: what was added needs no place.
static bool isEnd(const Lines &own, size_t place) {
  return place < own.size() && trimmed(own[place]) == "}" &&
         own[place].front() == '}';
}

namespace {
/// Words one file's changes.
struct Writer {
  Proposal &proposal;
  const std::string &file;
  bool isOther; ///< than the file in which the error stands
  size_t errorLine;

  std::string placeOf(size_t line) const {
    std::string number = std::to_string(line + 1);
    return isOther ? llvm::sys::path::filename(file).str() + ":" + number
                   : "line " + number;
  }

  void word(const Lines &own, const Hunk &hunk, const Lines &after) {
    size_t removed = hunk.end - hunk.begin;
    size_t added = hunk.newEnd - hunk.newBegin;
    for (size_t i = 0; i < std::max(removed, added); ++i) {
      std::string line = i < added ? trimmed(after[hunk.newBegin + i]) : "";
      if (line.empty() && i >= removed)
        continue;
      if (i < removed && i < added)
        add("instead of " + placeOf(hunk.begin + i) + ": " + line);
      else if (i < removed)
        add("without " + placeOf(hunk.begin + i));
      else if (isEnd(own, hunk.end))
        add(line);
      else
        add("before " + placeOf(hunk.end) + ": " + line);
    }
    if (removed == 1 && added <= 1 && !isOther && hunk.begin == errorLine) {
      proposal.isOfItsLine = true;
      proposal.lines.back() =
          added ? "write instead: " + trimmed(after[hunk.newBegin])
                : "leave this line out";
    }
  }

  void add(std::string line) { proposal.lines.push_back(std::move(line)); }
};
} // namespace

static uint32_t offsetOf(const Lines &lines, size_t line) {
  size_t offset = 0;
  for (size_t i = 0; i < line && i < lines.size(); ++i)
    offset += lines[i].size() + 1;
  return uint32_t(offset);
}

static TextEdit editOf(const std::string &file, const Lines &own,
                       const Hunk &hunk, const Lines &after) {
  TextEdit edit{file, offsetOf(own, hunk.begin), offsetOf(own, hunk.end), ""};
  for (size_t i = hunk.newBegin; i < hunk.newEnd; ++i)
    edit.text += after[i] + "\n";
  return edit;
}

Proposal advice::describe(const Texts &own, const Texts &before,
                          const Texts &after, mlir::Location error) {
  Proposal proposal;
  auto place = mlir::dyn_cast<mlir::FileLineColLoc>(error);
  for (auto &[file, text] : after) {
    if (before.at(file) == text)
      continue;
    Lines ownLines = linesOf(own.at(file)), old = linesOf(before.at(file)),
          lines = linesOf(text);
    bool isOther = !place || place.getFilename().getValue() != file;
    Writer writer{proposal, file, isOther, place ? place.getLine() - 1 : 0};
    for (Hunk hunk : differences(old, lines)) {
      size_t removed = hunk.end - hunk.begin;
      hunk.begin = ownPlace(ownLines, old, hunk.begin);
      hunk.end = hunk.begin + removed;
      writer.word(ownLines, hunk, lines);
      proposal.edits.push_back(editOf(file, ownLines, hunk, lines));
    }
  }
  if (proposal.lines.size() != 1)
    proposal.isOfItsLine = false;
  return proposal;
}
