//===- WrapLines.cpp - printed IR in lines that fit -----------------------===//
//
// Between words MLIR reads any white space; what may be broken is where the
// printer put a space, outside of quotes.
//
//===----------------------------------------------------------------------===//

#include "WrapLines.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

static constexpr size_t kColumns = 120, kDeeper = 4;

/// The places of the spaces outside of quotes, with how many brackets are open.
static SmallVector<std::pair<size_t, int>> spacesOf(StringRef line) {
  SmallVector<std::pair<size_t, int>> spaces;
  bool isQuoted = false;
  int open = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && isQuoted)
      ++i;
    else if (line[i] == '"')
      isQuoted = !isQuoted;
    else if (isQuoted)
      continue;
    else if (StringRef("([{").contains(line[i]))
      ++open;
    else if (StringRef(")]}").contains(line[i]))
      --open;
    else if (line[i] == ' ')
      spaces.push_back({i, open});
  }
  return spaces;
}

/// Whether a list goes on behind the space, or another part of an operation.
static bool isBetweenParts(StringRef line, size_t space) {
  StringRef next = line.substr(space + 1);
  return line[space - 1] == ',' || next.starts_with(": ") ||
         next.starts_with("-> ") || next.starts_with("loc(") ||
         next.starts_with("attributes ");
}

/// A line in pieces, each after the first indented further; between parts if
/// that leaves no piece shorter than half a line.
static void wrapLine(StringRef line, size_t indent, std::string &text) {
  std::string deeper(indent + kDeeper, ' ');
  size_t begin = 0, width = kColumns, last = 0, lastPart = 0;
  auto wrapAt = [&](size_t end) {
    if (end - begin <= width || last <= begin)
      return;
    size_t place = lastPart > begin + width / 2 ? lastPart : last;
    text += (begin ? deeper : "") + line.slice(begin, place).str() + "\n";
    begin = place + 1;
    width = kColumns - deeper.size();
  };
  for (auto [place, open] : spacesOf(line)) {
    if (place < indent)
      continue;
    wrapAt(place);
    last = place;
    if (isBetweenParts(line, place))
      lastPart = place;
  }
  wrapAt(line.size());
  text += (begin ? deeper : "") + line.substr(begin).str() + "\n";
}

/// `  nn.func @f(`, then an argument, a result or an attribute a line.
static void wrapSignature(StringRef line, size_t indent, std::string &text) {
  size_t begin = line.find('(') + 1;
  std::string deeper(indent + kDeeper, ' ');
  text += line.take_front(begin).str() + "\n";
  for (auto [place, open] : spacesOf(line)) {
    if (place < begin || open > 1 || !isBetweenParts(line, place) ||
        (open == 1 && line[place - 1] != ','))
      continue;
    wrapLine(deeper + line.slice(begin, place).str(), indent + kDeeper, text);
    begin = place + 1;
  }
  wrapLine(deeper + line.substr(begin).str(), indent + kDeeper, text);
}

std::string hocket::wrapLines(StringRef text) {
  std::string wrapped;
  wrapped.reserve(text.size());
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    StringRef words = line.ltrim(' ');
    size_t indent = line.size() - words.size();
    bool isSignature =
        words.starts_with("nn.func ") || words.starts_with("spmd.func ");
    if (line.size() <= kColumns || words.starts_with("//"))
      wrapped += line.str() + "\n";
    else if (isSignature)
      wrapSignature(line, indent, wrapped);
    else
      wrapLine(line, indent, wrapped);
  }
  return wrapped;
}
