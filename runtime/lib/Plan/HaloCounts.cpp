//===- HaloCounts.cpp - what all members receive in a halo ----------------===//
//
// What a member holds are a few runs of places. In the order of the dim those
// who own a run are neighbours: all except the first and the last own places in
// it alone.
//
//===----------------------------------------------------------------------===//

#include "hocket/Plan/HaloRuns.h"

namespace hocket::plan {

namespace {

/// Owners of a run: numbers in the order of the dim.
struct Range {
  int64_t first, last;
};

/// Those who own something, in the order of the dim.
class Owners {
public:
  explicit Owners(const Halo &halo)
      : halo(halo), number(halo.size.size(), -1), before(1, 0) {
    for (size_t member = 0; member < halo.size.size(); ++member)
      if (halo.size[member] > 0)
        members.push_back(int64_t(member));
    std::sort(members.begin(), members.end(), [&](int64_t a, int64_t b) {
      return halo.offset[a] < halo.offset[b];
    });
    for (size_t i = 0; i < members.size(); ++i) {
      number[members[i]] = int64_t(i);
      before.push_back(before.back() + halo.size[members[i]]);
    }
  }

  int64_t count() const { return int64_t(members.size()); }
  int64_t at(int64_t i) const { return members[i]; }
  /// -1: the member owns nothing.
  int64_t numberOf(int64_t member) const { return number[member]; }
  /// What those from `first` to `last` own.
  int64_t ownedBy(int64_t first, int64_t last) const {
    return before[last + 1] - before[first];
  }
  Range of(const PlaceRun &run) const {
    auto begin = std::partition_point(
        members.begin(), members.end(), [&](int64_t member) {
          return halo.offset[member] + halo.size[member] <= run.begin;
        });
    auto end = std::partition_point(begin, members.end(), [&](int64_t member) {
      return halo.offset[member] < run.end;
    });
    return {begin - members.begin(), end - members.begin() - 1};
  }

private:
  const Halo &halo;
  std::vector<int64_t> members, number, before;
};

/// The runs of one member and who owns places in them.
struct Held {
  std::vector<std::pair<PlaceRun, Range>> runs;
  std::vector<Range> owners; // disjoint

  Held(const Halo &halo, const Owners &all, int64_t member) {
    for (const PlaceRun &run : shownBy(halo, member))
      if (Range range = all.of(run); range.first <= range.last) {
        runs.push_back({run, range});
        owners.push_back(range);
      }
    std::sort(owners.begin(), owners.end(),
              [](Range a, Range b) { return a.first < b.first; });
    size_t kept = 0;
    for (const Range &next : owners)
      if (kept > 0 && next.first <= owners[kept - 1].last)
        owners[kept - 1].last = std::max(owners[kept - 1].last, next.last);
      else
        owners[kept++] = next;
    owners.resize(kept);
  }
  bool owns(int64_t number) const {
    return std::any_of(owners.begin(), owners.end(), [&](Range range) {
      return number >= range.first && number <= range.last;
    });
  }
};

} // namespace

HaloCounts countExchange(const Halo &halo) {
  Owners all(halo);
  HaloCounts counts;
  for (int64_t me = 0; me < int64_t(halo.size.size()); ++me) {
    Held held(halo, all, me);
    int64_t positions = 0, peers = -int64_t(held.owns(all.numberOf(me)));
    for (auto &[run, range] : held.runs) {
      positions += ownedOf(halo, run, all.at(range.first));
      if (range.last > range.first)
        positions += ownedOf(halo, run, all.at(range.last)) +
                     run.times * all.ownedBy(range.first + 1, range.last - 1);
      positions -= ownedOf(halo, run, me);
    }
    for (const Range &range : held.owners)
      peers += range.last - range.first + 1;
    counts.positions.push_back(positions);
    counts.peers.push_back(peers);
  }
  return counts;
}

HaloCounts countReduce(const Halo &halo) {
  Owners all(halo);
  size_t members = halo.size.size();
  HaloCounts counts{std::vector<int64_t>(members, 0),
                    std::vector<int64_t>(members, 0)};
  // Changes from one owner to the next: how often all that it owns is held, and
  // by how many.
  std::vector<int64_t> whole(all.count() + 1, 0), holders = whole;
  for (int64_t peer = 0; peer < int64_t(members); ++peer) {
    Held held(halo, all, peer);
    for (auto &[run, range] : held.runs) {
      int64_t first = all.at(range.first), last = all.at(range.last);
      counts.positions[first] += ownedOf(halo, run, first);
      if (first != last)
        counts.positions[last] += ownedOf(halo, run, last);
      if (range.last - range.first > 1) {
        whole[range.first + 1] += run.times;
        whole[range.last] -= run.times;
      }
      counts.positions[peer] -= ownedOf(halo, run, peer);
    }
    for (const Range &range : held.owners) {
      ++holders[range.first];
      --holders[range.last + 1];
    }
    if (held.owns(all.numberOf(peer)))
      --counts.peers[peer];
  }
  int64_t times = 0, by = 0;
  for (int64_t i = 0; i < all.count(); ++i) {
    times += whole[i], by += holders[i];
    counts.positions[all.at(i)] += times * halo.size[all.at(i)];
    counts.peers[all.at(i)] += by;
  }
  return counts;
}

} // namespace hocket::plan
