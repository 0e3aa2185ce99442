//===- Mutations.h - texts with a few tokens or lines changed ---*- C++ -*-===//
//
// Works on .hkt texts and on dumps of MLIR alike: words, numbers, strings and
// signs, with the white space before them.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_MUTATE_MUTATIONS_H
#define HOCKET_TEST_MUTATE_MUTATIONS_H

#include "test/Random/Rng.h"
#include <string>
#include <vector>

namespace hocket::mutate {

struct Piece {
  /// Symbol: a word with its sigil, such as %3, #loc or @main.
  enum Kind { Word, Number, String, Symbol, Sign };
  Kind kind;
  std::string space; // before it
  std::string text;
};

/// All of a text, in order; what ends it is the space of a last empty sign.
std::vector<Piece> split(const std::string &text);
std::string join(const std::vector<Piece> &pieces);

/// What mutations take from other texts.
struct Stock {
  std::vector<std::string> ofKind[Piece::Sign + 1];
  std::vector<std::string> lines;

  void add(const std::string &text);
};

/// One to three changes: a token dropped, doubled, swapped or replaced by one
/// of the text or the stock, a number by one that is often wrong, an entry of a
/// dictionary, a line.
std::string mutate(const std::string &text, const Stock &stock,
                   random::Rng &rng);

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_MUTATIONS_H
