//===- Messages.cpp - what a compilation says, in order -------------------===//

#include "Messages.h"
#include "llvm/ADT/StringExtras.h"

using namespace hocket;

static std::optional<Place> placeOf(const syntax::SourceManager &sources,
                                    const syntax::SourceRange &range) {
  if (!range.isValid())
    return std::nullopt;
  syntax::LineColumn begin = sources.getLineColumn(range);
  syntax::LineColumn end = sources.getLineColumn(range.file, range.end);
  return Place{sources.getName(range.file), begin.line, begin.column, end.line,
               end.column};
}

void hocket::addMessages(const syntax::DiagnosticEngine &diagnostics,
                         std::vector<Message> &messages) {
  const syntax::SourceManager &sources = diagnostics.getSources();
  for (const syntax::Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    messages.push_back({Message::Severity::Error,
                        placeOf(sources, diagnostic.range),
                        diagnostic.text,
                        {}});
    for (const syntax::Note &note : diagnostic.notes)
      messages.back().notes.push_back({Message::Severity::Note,
                                       placeOf(sources, note.range),
                                       note.text,
                                       {}});
  }
}

/// Line and column of a byte.
static std::pair<unsigned, unsigned> placeIn(llvm::StringRef text,
                                             size_t byte) {
  llvm::StringRef before = text.take_front(byte);
  size_t lineStart = before.rfind('\n') + 1; // 0 where there is none
  return {before.count('\n') + 1, before.size() - lineStart + 1};
}

std::vector<Change>
hocket::waysOut(const std::vector<syntax::Proposal> &proposals,
                const syntax::Texts &texts) {
  std::vector<Change> ways;
  for (const syntax::Proposal &proposal : proposals) {
    Change &way = ways.emplace_back();
    way.remark = proposal.remark;
    for (const syntax::TextEdit &edit : proposal.edits) {
      auto text = texts.find(edit.file);
      if (text == texts.end())
        continue;
      auto [line, column] = placeIn(text->second, edit.begin);
      auto [endLine, endColumn] = placeIn(text->second, edit.end);
      way.edits.push_back(
          {{edit.file, line, column, endLine, endColumn}, edit.text});
    }
  }
  return ways;
}

/// Without a comment, which no string has begun before.
static llvm::StringRef withoutComment(llvm::StringRef line) {
  bool inString = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && inString)
      ++i;
    else if (line[i] == '"')
      inString = !inString;
    else if (line[i] == '#' && !inString)
      return line.take_front(i);
  }
  return line;
}

void hocket::findEnd(std::string_view text, Place &place) {
  llvm::StringRef rest = text;
  for (unsigned line = 1; line < place.line; ++line)
    rest = rest.split('\n').second;
  llvm::StringRef line = rest.split('\n').first;
  size_t begin = std::min<size_t>(place.column - 1, line.size());
  llvm::StringRef found = line.substr(begin);
  if (line.take_front(begin).trim().empty())
    found = withoutComment(found).rtrim();
  else
    found = found.take_while([](char c) {
      return llvm::isAlnum(c) || llvm::StringRef("_.*").contains(c);
    });
  place.endLine = place.line;
  place.endColumn = place.column + std::max<size_t>(found.size(), 1);
}
