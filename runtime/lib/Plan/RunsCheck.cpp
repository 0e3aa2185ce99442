//===- RunsCheck.cpp - cuts whose parts are several runs ------------------===//

#include "Checker.h"
#include "hocket/Plan/Runs.h"
#include <algorithm>

namespace hocket::plan {

namespace {
/// Elements that lie together in the list and in the factor.
struct Stretch {
  int64_t place, number, size;

  bool operator<(const Stretch &other) const { return place < other.place; }
};
} // namespace

/// More make a plan slow to check, and no run worth its while.
static constexpr size_t kMostStretches = size_t(1) << 22;

/// Of numbers [next, end) of the list; false if there are too many.
static bool addStretches(const Runs &runs, int64_t next, int64_t end,
                         std::vector<Stretch> &all) {
  while (next < end) {
    int64_t count = std::min(end - next, runs.together(next));
    all.push_back({runs.placeOf(next), next, count});
    next += count;
    if (all.size() > kMostStretches)
      return false;
  }
  return true;
}

/// An element that two numbers have, or -1.
static int64_t findShared(std::vector<Stretch> &all) {
  std::sort(all.begin(), all.end());
  const Stretch *furthest = nullptr;
  for (const Stretch &next : all) {
    if (furthest && furthest->place + furthest->size > next.place &&
        next.number - furthest->number != next.place - furthest->place)
      return next.place;
    if (!furthest || furthest->place + furthest->size < next.place + next.size)
      furthest = &next;
  }
  return -1;
}

bool Checker::checkRuns(const Cut &cut, int64_t extent) {
  std::vector<Stretch> all;
  for (size_t i = 0; i < plan.tables[cut.offset].values.size(); ++i) {
    auto valueOf = [&](int table) { return plan.tables[table].values[i]; };
    Runs runs{valueOf(cut.runs->begin), valueOf(cut.runs->first),
              valueOf(cut.runs->length), valueOf(cut.runs->every)};
    int64_t next = valueOf(cut.offset), end = next + valueOf(cut.size);
    if (next == end)
      continue;
    if (runs.begin < 0 || runs.begin > next || runs.first < 0 ||
        runs.first >= extent || runs.length < 1 || runs.every < 0)
      return fail("runs of " + std::to_string(runs.length) + " every " +
                  std::to_string(runs.every) + " from " +
                  std::to_string(runs.first) + " on are not of the extent " +
                  std::to_string(extent));
    if (__int128((end - 1 - runs.begin) / runs.length) * runs.every >= extent)
      return fail("runs leave the extent " + std::to_string(extent));
    if (!addStretches(runs, next, end, all))
      return fail("a cut has more than " + std::to_string(kMostStretches) +
                  " runs");
  }
  for (const Stretch &stretch : all)
    if (stretch.place < 0 || stretch.place + stretch.size > extent)
      return fail("runs leave the extent " + std::to_string(extent));
  if (int64_t place = findShared(all); place >= 0)
    return fail("two parts have element " + std::to_string(place));
  return true;
}

} // namespace hocket::plan
