//===- Mutations.cpp - texts with a few tokens or lines changed -----------===//

#include "Mutations.h"
#include "hocket/Frontend/Edit.h"
#include <cctype>
#include <set>

using namespace hocket;
using namespace hocket::mutate;
using random::Rng;
using syntax::linesOf;

static bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

/// The end of the piece that begins at `at`, which is no space.
static size_t endOf(const std::string &text, size_t at, Piece::Kind &kind) {
  size_t end = at + 1;
  if (text[at] == '"') {
    kind = Piece::String;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (isWord(text[at])) {
    kind = std::isdigit(static_cast<unsigned char>(text[at])) ? Piece::Number
                                                              : Piece::Word;
    while (end < text.size() && isWord(text[end]))
      ++end;
    return end;
  }
  static const std::string sigils = "%#@!^";
  if (sigils.find(text[at]) != std::string::npos && end < text.size() &&
      isWord(text[end])) {
    kind = Piece::Symbol;
    while (end < text.size() && isWord(text[end]))
      ++end;
    return end;
  }
  kind = Piece::Sign;
  static const char *const pairs[] = {
      "->", "==", "!=", "<=", ">=", "**", "..", "//", "::"};
  for (const char *pair : pairs)
    if (text.compare(at, 2, pair) == 0)
      return at + 2;
  return end;
}

std::vector<Piece> mutate::split(const std::string &text) {
  std::vector<Piece> pieces;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    while (at < text.size() && std::isspace((unsigned char)text[at]))
      ++at;
    Piece piece{Piece::Sign, text.substr(begin, at - begin), ""};
    if (at < text.size()) {
      size_t end = endOf(text, at, piece.kind);
      piece.text = text.substr(at, end - at);
      at = end;
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string mutate::join(const std::vector<Piece> &pieces) {
  std::string text;
  for (const Piece &piece : pieces)
    text += piece.space + piece.text;
  return text;
}

void Stock::add(const std::string &text) {
  std::set<std::string> seen;
  for (const Piece &piece : split(text))
    if (!piece.text.empty() && seen.insert(piece.text).second)
      ofKind[piece.kind].push_back(piece.text);
  for (const std::string &line : linesOf(text))
    lines.push_back(line);
}

/// A value near the one that is there, or one at the edge of what fits.
static std::string strangeNumber(const std::string &old, Rng &rng) {
  static const std::vector<std::string> edges = {
      "0", "1", "2", "3", "7", "1000003", "2147483648", "9223372036854775807"};
  uint64_t value = std::strtoull(old.c_str(), nullptr, 10);
  switch (rng.below(5)) {
  case 0:
    return std::to_string(value + 1);
  case 1:
    return std::to_string(value - (value > 0));
  case 2:
    return std::to_string(value * 2);
  case 3:
    return "-" + old;
  default:
    return rng.oneOf(edges);
  }
}

/// A token, seldom one of a location, of which dumps are full.
static size_t anyPiece(const std::vector<Piece> &pieces, Rng &rng) {
  size_t at = rng.below(pieces.size());
  for (int tries = 0; tries < 4; ++tries) {
    bool isLocation = pieces[at].text.find("loc") != std::string::npos ||
                      (at > 0 && pieces[at - 1].text == "loc");
    if (!isLocation)
      break;
    at = rng.below(pieces.size());
  }
  return at;
}

static void replacePiece(std::vector<Piece> &pieces, Piece &piece,
                         const Stock &stock, Rng &rng) {
  if (piece.kind == Piece::Number && rng.chance(0.5)) {
    piece.text = strangeNumber(piece.text, rng);
    return;
  }
  auto kind = rng.chance(0.9) ? piece.kind : Piece::Kind(rng.below(5));
  const std::vector<std::string> &others = stock.ofKind[kind];
  if (!others.empty() && rng.chance(0.4)) {
    piece.text = rng.oneOf(others);
    return;
  }
  for (int tries = 0; tries < 40; ++tries) {
    const Piece &other = pieces[rng.below(pieces.size())];
    if (other.kind != kind || other.text == piece.text)
      continue;
    piece.text = std::string(other.text);
    return;
  }
}

static void mutateToken(std::vector<Piece> &pieces, const Stock &stock,
                        Rng &rng) {
  size_t at = anyPiece(pieces, rng);
  switch (rng.below(8)) {
  case 0:
    pieces.erase(pieces.begin() + at);
    return;
  case 1:
    pieces.insert(pieces.begin() + at, Piece(pieces[at]));
    return;
  case 2: {
    size_t other = rng.chance(0.5) ? std::min(at + 1, pieces.size() - 1)
                                   : anyPiece(pieces, rng);
    std::swap(pieces[at].text, pieces[other].text);
    return;
  }
  default:
    replacePiece(pieces, pieces[at], stock, rng);
  }
}

/// Drops ` key = value` up to the comma or bracket after it, and the comma.
static void dropEntry(std::vector<Piece> &pieces, Rng &rng) {
  std::vector<size_t> signs;
  for (size_t i = 1; i + 1 < pieces.size(); ++i)
    if (pieces[i].text == "=" || pieces[i].text == ":")
      signs.push_back(i);
  if (signs.empty())
    return;
  size_t sign = rng.oneOf(signs), begin = sign - 1, end = sign + 1;
  while (begin > 0 && pieces[begin - 1].text == ".") // spmd.cuts = ...
    begin -= std::min<size_t>(begin, 2);
  static const std::string open = "([{<", close = ")]}>";
  for (int depth = 0; end < pieces.size(); ++end) {
    const std::string &text = pieces[end].text;
    bool isSign = text.size() == 1;
    bool closes = isSign && close.find(text) != std::string::npos;
    if (depth == 0 && (closes || text == ","))
      break;
    depth += isSign && open.find(text) != std::string::npos;
    depth -= closes;
  }
  bool takesComma = end < pieces.size() && pieces[end].text == ",";
  pieces.erase(pieces.begin() + begin, pieces.begin() + end + takesComma);
}

static std::string mutateLine(const std::string &text, const Stock &stock,
                              Rng &rng) {
  std::vector<std::string> lines = linesOf(text);
  size_t at = rng.below(lines.size());
  switch (rng.below(4)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1:
    lines.insert(lines.begin() + at, std::string(lines[at]));
    break;
  case 2:
    std::swap(lines[at], lines[rng.below(lines.size())]);
    break;
  default:
    lines.insert(lines.begin() + at, rng.oneOf(stock.lines));
  }
  std::string joined;
  for (const std::string &line : lines)
    joined += line + "\n";
  return joined;
}

std::string mutate::mutate(const std::string &text, const Stock &stock,
                           Rng &rng) {
  std::string changed = text;
  int64_t count = rng.chance(0.6) ? 1 : rng.between(2, 3);
  for (; count > 0 && !changed.empty(); --count) {
    int64_t way = rng.between(1, 10);
    if (way <= 2) {
      changed = mutateLine(changed, stock, rng);
      continue;
    }
    std::vector<Piece> pieces = split(changed);
    if (way <= 4)
      dropEntry(pieces, rng);
    else
      mutateToken(pieces, stock, rng);
    changed = join(pieces);
  }
  return changed;
}
