//===- Picture.cpp - an attention in blocks -------------------------------===//

#include "hocket/Drawing/Picture.h"
#include <algorithm>
#include <numeric>

using namespace hocket;
using namespace hocket::drawing;

static int64_t ceilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The greatest number that all bounds of parts are multiples of.
static int64_t commonOf(const Attention &attention) {
  int64_t common = 0;
  for (const Owner &owner : attention.owners)
    for (const Runs *runs : {&owner.queries, &owner.keys})
      for (Run run : *runs) {
        common = std::gcd(common, run.begin);
        if (run.end != attention.queries && run.end != attention.keys)
          common = std::gcd(common, run.end);
      }
  return common;
}

/// Positions of a square.
static int64_t sizeOf(const Attention &attention, int64_t most) {
  int64_t extent = std::max(attention.queries, attention.keys);
  int64_t unit = attention.block;
  int64_t least = std::max<int64_t>(ceilOf(extent, most * unit), 1) * unit;
  int64_t common = commonOf(attention);
  // Up to twice as large for parts that begin between squares.
  for (int64_t size = least; size <= 2 * least; size += unit)
    if (common % size == 0)
      return size;
  return least;
}

/// Puts `number` where there is none.
static void mark(int &where, int number) {
  where = where == kNone || where == number ? number : kSeveral;
}

/// Which owner has the positions of each of `count` groups.
static std::vector<int> groupOwners(const Attention &attention, int64_t head,
                                    Runs Owner::*positions, int64_t size,
                                    int64_t count) {
  std::vector<int> owners(count, kNone);
  for (size_t number = 0; number < attention.owners.size(); ++number) {
    const Owner &owner = attention.owners[number];
    if (!owner.hasHead(head))
      continue;
    for (Run run : owner.*positions)
      for (int64_t group = run.begin / size; group * size < run.end; ++group)
        mark(owners[group], int(number));
  }
  return owners;
}

namespace {

/// Counts what queries see, square by square of one row.
class Row {
public:
  Row(const Attention &attention, Picture &picture, int64_t row)
      : attention(attention), picture(picture), row(row),
        counts(picture.columns, 0) {
    if (attention.ring) {
      hops.assign(attention.ring->members, kNone);
      hops[0] = 0;
      for (size_t hop = 0; hop < attention.ring->distances.size(); ++hop)
        hops[attention.ring->distances[hop]] = int(hop) + 1;
    }
  }

  void add(int64_t query) {
    for (Run run : attention.seen(picture.head, query)) {
      forSquares(
          run, [&](int64_t column, int64_t count) { counts[column] += count; });
      if (attention.ring)
        addHops(query, run);
    }
  }
  void finish(int64_t queries) {
    for (int64_t column = 0; column < picture.columns; ++column) {
      int64_t keys =
          std::min(picture.size, attention.keys - column * picture.size);
      Seen &seen = at(column).seen;
      seen = counts[column] == 0                ? Seen::Nothing
             : counts[column] == queries * keys ? Seen::All
                                                : Seen::Some;
    }
  }

private:
  Square &at(int64_t column) {
    return picture.squares[row * picture.columns + column];
  }
  template <class Visitor> void forSquares(Run run, Visitor visit) {
    for (int64_t column = run.begin / picture.size;
         column * picture.size < run.end; ++column)
      visit(column, std::min(run.end, (column + 1) * picture.size) -
                        std::max(run.begin, column * picture.size));
  }
  /// The first part that ends behind a position.
  std::vector<DrawnRing::Part>::const_iterator partAt(int64_t position) const {
    return std::partition_point(
        attention.ring->parts.begin(), attention.ring->parts.end(),
        [&](auto &part) { return part.positions.end <= position; });
  }
  void addHops(int64_t query, Run run) {
    int64_t members = attention.ring->members, mine = partAt(query)->member;
    for (auto part = partAt(run.begin);
         part != attention.ring->parts.end() && part->positions.begin < run.end;
         ++part) {
      int hop = hops[(mine + members - part->member) % members];
      Run here{std::max(run.begin, part->positions.begin),
               std::min(run.end, part->positions.end)};
      forSquares(here,
                 [&](int64_t column, int64_t) { mark(at(column).hop, hop); });
    }
  }

  const Attention &attention;
  Picture &picture;
  const int64_t row;
  std::vector<int64_t> counts; // by column
  std::vector<int> hops;       // by distance
};

} // namespace

Picture drawing::pictureOf(const Attention &attention, int64_t head,
                           int64_t most) {
  Picture picture;
  picture.head = head;
  picture.size = sizeOf(attention, most);
  picture.rows = ceilOf(attention.queries, picture.size);
  picture.columns = ceilOf(attention.keys, picture.size);
  picture.squares.resize(picture.rows * picture.columns);
  picture.rowOwners =
      groupOwners(attention, head, &Owner::queries, picture.size, picture.rows);
  picture.columnOwners =
      groupOwners(attention, head, &Owner::keys, picture.size, picture.columns);
  for (int64_t row = 0; row < picture.rows; ++row) {
    int64_t begin = row * picture.size,
            end = std::min(begin + picture.size, attention.queries);
    Row counted(attention, picture, row);
    for (int64_t query = begin; query < end; ++query)
      counted.add(query);
    counted.finish(end - begin);
  }
  return picture;
}
