//===- Picture.h - an attention in blocks ----------------------*- C++ -*-===//
//
// Queries down, keys across, in squares of some positions each: whether a
// square is seen, by which ranks its queries and its keys are held, and in
// which hop of a ring it is computed.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_DRAWING_PICTURE_H
#define HOCKET_DRAWING_PICTURE_H

#include "hocket/Drawing/Attention.h"

namespace hocket::drawing {

enum class Seen { Nothing, Some, All };

/// In the place of a number: there is none, or several.
inline constexpr int kNone = -1, kSeveral = -2;

struct Square {
  Seen seen = Seen::Nothing;
  int hop = kNone; ///< of a ring; kNone where nothing is seen
};

struct Picture {
  int64_t head = 0;
  int64_t size = 1; ///< positions that a square has in each direction
  int64_t rows = 0, columns = 0;
  std::vector<Square> squares; ///< row by row
  /// Of attention's `owners`, the one that has the queries of a row, the keys
  /// of a column.
  std::vector<int> rowOwners, columnOwners;

  const Square &at(int64_t row, int64_t column) const {
    return squares[row * columns + column];
  }
};

/// In at most `most` rows and columns. A square is no part of a layout's block.
/// Where it can be, parts of ranks begin and end between squares.
Picture pictureOf(const Attention &attention, int64_t head, int64_t most);

/// As text of at most `width` squares across, after what the attention is and
/// who has what of it. Each line ends with a newline.
std::string textOf(const Attention &attention, int64_t head, int64_t width);

/// As an image that stands for itself, of at most `width` squares across: no
/// script, no font, no file besides.
std::string svgOf(const Attention &attention, int64_t head, int64_t width);

/// What text and image say alike.
std::string titleOf(const Attention &attention);
/// "rank 0", "ranks 0 and 2", "ranks 0 to 3".
std::string ranksText(const std::vector<int64_t> &ranks);
/// "0 to 15 and 48 to 63", "none"; of many runs the first ones.
std::string runsText(const Runs &runs);
/// "queries 0 to 15, keys the same".
std::string ownedText(const Attention &attention, const Owner &owner);
/// "own keys", "keys of the rank 3 before".
std::string hopText(const DrawnRing &ring, size_t hop);

} // namespace hocket::drawing

#endif // HOCKET_DRAWING_PICTURE_H
