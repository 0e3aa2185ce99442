//===- Halo.h - which shares the margins of a part come from ---*- C++ -*-===//
//
// A dim of `extent` is cut between members, each of which owns an interval and
// is to hold another one: a margin more, or less. What lies outside [0, extent)
// is the border. Rows may be listed instead, where some between are not read.
// Used by the compiler, the check of plans and the transfers.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_HALO_H
#define HOCKET_PLAN_HALO_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace hocket::plan {

/// What stands beyond the ends: zeros, the dim mirrored (the edge not
/// repeated), its edges, its other end.
enum class Border { Zero, Reflect, Replicate, Circular };
inline constexpr std::array<const char *, 4> borderWords = {
    "zero", "reflect", "replicate", "circular"};

/// The place in [0, extent) that position `e` shows, or -1: nothing, a zero.
inline int64_t placeOf(Border border, int64_t e, int64_t extent) {
  if (e >= 0 && e < extent)
    return e;
  switch (border) {
  case Border::Zero:
    break;
  case Border::Reflect:
    return e < 0 ? -e : 2 * (extent - 1) - e;
  case Border::Replicate:
    return e < 0 ? 0 : extent - 1;
  case Border::Circular:
    return e < 0 ? e + extent : e - extent;
  }
  return -1;
}

/// How far beyond an end of [0, extent) the border goes, or -1: without end.
inline int64_t reachOf(Border border, int64_t extent) {
  if (border == Border::Zero || (border == Border::Replicate && extent > 0))
    return -1;
  return std::max<int64_t>(border == Border::Reflect ? extent - 1 : extent, 0);
}

/// Whether there is something to put at each of [begin, end).
inline bool reaches(Border border, int64_t begin, int64_t end, int64_t extent) {
  int64_t reach = reachOf(border, extent);
  return begin >= end || reach < 0 ||
         (begin >= -reach && end <= extent + reach);
}

/// What members own of a dim and what they are to hold of it. By member.
struct Halo {
  std::vector<int64_t> offset, size, heldOffset, heldSize;
  int64_t extent = 0;
  Border border = Border::Zero;
  /// What members hold, where that is listed: rising, with all that they own,
  /// which begins as far into it as in the interval at heldOffset.
  std::vector<std::vector<int64_t>> rows = {};

  int64_t positionOf(int64_t member, int64_t i) const {
    return rows.empty() ? heldOffset[member] + i : rows[member][i];
  }
  /// The place that number `i` of what the member holds shows, or -1.
  int64_t shown(int64_t member, int64_t i) const {
    return placeOf(border, positionOf(member, i), extent);
  }
  /// Whether lists, if there are any, are what they are to be.
  bool areRowsValid() const {
    bool isValid = rows.empty() || rows.size() == heldSize.size();
    for (size_t member = 0; isValid && member < rows.size(); ++member) {
      const std::vector<int64_t> &held = rows[member];
      int64_t begin = offset[member] - heldOffset[member], owned = size[member];
      isValid = int64_t(held.size()) == heldSize[member] && begin >= 0 &&
                owned >= 0 && begin + owned <= int64_t(held.size());
      for (size_t i = 0; isValid && i < held.size(); ++i)
        isValid = held[i] >= 0 && held[i] < extent &&
                  (i == 0 || held[i - 1] < held[i]);
      for (int64_t i = 0; isValid && i < owned; ++i)
        isValid = held[begin + i] == offset[member] + i;
    }
    return isValid;
  }
  bool owns(int64_t member, int64_t place) const {
    return place >= offset[member] && place < offset[member] + size[member];
  }
  /// Positions that `me` reads from each member, itself left out, when margins
  /// are attached. The owner of one position is looked for where the last was.
  std::vector<int64_t> readInExchange(int64_t me) const {
    int64_t members = int64_t(size.size()), owner = me;
    std::vector<int64_t> counts(members, 0);
    for (int64_t i = 0; i < heldSize[me]; ++i) {
      int64_t place = shown(me, i), tried = 0;
      if (place < 0)
        continue;
      for (; tried < members && !owns(owner, place); ++tried)
        owner = (owner + 1) % members;
      counts[owner] += tried < members && owner != me;
    }
    return counts;
  }
  /// The same when margins are added back.
  std::vector<int64_t> readInReduce(int64_t me) const {
    std::vector<int64_t> counts(size.size(), 0);
    for (int64_t peer = 0; peer < int64_t(size.size()); ++peer)
      for (int64_t i = 0; peer != me && i < heldSize[peer]; ++i)
        counts[peer] += owns(me, shown(peer, i));
    return counts;
  }
  /// Their sums.
  int64_t receivedInExchange(int64_t me) const {
    return sumOf(readInExchange(me));
  }
  int64_t receivedInReduce(int64_t me) const { return sumOf(readInReduce(me)); }

private:
  static int64_t sumOf(const std::vector<int64_t> &counts) {
    return std::accumulate(counts.begin(), counts.end(), int64_t(0));
  }
};

} // namespace hocket::plan

#endif // HOCKET_PLAN_HALO_H
