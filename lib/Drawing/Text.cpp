//===- Text.cpp - an attention as text ------------------------------------===//

#include "hocket/Drawing/Picture.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::drawing;

/// A character for a number, as long as there are any.
static char symbolOf(int number) {
  static const std::string symbols =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (number == kNone)
    return '.';
  return number >= 0 && size_t(number) < symbols.size() ? symbols[number] : '*';
}

/// What stands before the squares of a line.
constexpr size_t kMargin = 15;

static std::string leftOf(std::string text) {
  text.resize(std::max(text.size() + 1, kMargin), ' ');
  return text;
}

/// The first position of a column, every so often.
static std::string ticksOf(const Picture &picture) {
  std::string line = leftOf("  keys from");
  constexpr int64_t every = 8;
  for (int64_t column = 0; column < picture.columns; column += every) {
    if (line.size() > kMargin + size_t(column))
      continue; // after a long one
    line.resize(kMargin + size_t(column), ' ');
    line += std::to_string(column * picture.size);
  }
  return line + "\n";
}

static std::string rowsOf(const Picture &picture, char symbol(const Square &)) {
  std::string text;
  int before = kNone;
  for (int64_t row = 0; row < picture.rows; ++row) {
    int owner = picture.rowOwners[row];
    std::string left = std::to_string(row * picture.size);
    bool isNumbered = row % 8 == 0 || owner != before;
    left = isNumbered ? left : "";
    before = owner;
    left.insert(0, std::string(left.size() < 10 ? 10 - left.size() : 0, ' '));
    text += leftOf("  " + left + " " + symbolOf(owner));
    for (int64_t column = 0; column < picture.columns; ++column)
      text += symbol(picture.at(row, column));
    text += "\n";
  }
  return text;
}

/// Whether columns are of different owners.
static bool hasKeyOwners(const Picture &picture) {
  return std::any_of(picture.columnOwners.begin(), picture.columnOwners.end(),
                     [&](int owner) {
                       return owner >= 0 && owner != picture.columnOwners[0];
                     });
}

static std::string ownersText(const Attention &attention) {
  constexpr size_t most = 16;
  std::string text;
  for (size_t i = 0; i < std::min(attention.owners.size(), most); ++i)
    text += std::string("  ") + symbolOf(int(i)) + "  " +
            ranksText(attention.owners[i].ranks) + ": " +
            ownedText(attention, attention.owners[i]) + "\n";
  if (attention.owners.size() > most)
    text += "     and " + std::to_string(attention.owners.size() - most) +
            " more\n";
  return text;
}

static std::string hopsText(const Attention &attention,
                            const Picture &picture) {
  const DrawnRing &ring = *attention.ring;
  std::string text = "hop of the ring in which they are computed:";
  constexpr size_t most = 16;
  for (size_t hop = 0; hop <= std::min(ring.distances.size(), most); ++hop)
    text += std::string(hop ? ", " : " ") + symbolOf(int(hop)) + " " +
            hopText(ring, hop);
  if (ring.distances.size() > most)
    text += ", and so on";
  text += "; * several\n\n";
  return text + rowsOf(picture, [](const Square &square) {
           return symbolOf(square.hop);
         });
}

std::string drawing::textOf(const Attention &attention, int64_t head,
                            int64_t width) {
  Picture picture = pictureOf(attention, head, width);
  std::string text = titleOf(attention) + "\n";
  text += "  queries " + attention.queryPlacement + "\n";
  text += "  keys " + attention.keyPlacement + "\n";
  for (const std::string &note : attention.notes)
    text += "  " + note + "\n";
  text += ownersText(attention);
  text += "head " + std::to_string(head) + ", ";
  std::string size = std::to_string(picture.size);
  text += picture.size == 1
              ? "1 query by 1 key: "
              : "in blocks of " + size + " queries by " + size + " keys: ";
  text += picture.size == 1 ? "# seen, . not" : "# all seen, + some, . none";
  text += "; before it who has the queries\n\n";
  text += ticksOf(picture);
  if (hasKeyOwners(picture)) {
    text += leftOf("  of");
    for (int owner : picture.columnOwners)
      text += symbolOf(owner);
    text += "\n";
  }
  text += rowsOf(picture, [](const Square &square) {
    return square.seen == Seen::Nothing ? '.'
           : square.seen == Seen::All   ? '#'
                                        : '+';
  });
  if (attention.ring)
    text += "\n" + hopsText(attention, picture);
  return text;
}
