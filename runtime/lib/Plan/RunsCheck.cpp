//===- RunsCheck.cpp - cuts whose parts are several runs ------------------===//

#include "Checker.h"
#include "hocket/Plan/Runs.h"
#include <algorithm>
#include <utility>

namespace hocket::plan {

namespace {
/// Numbers [begin, end) of the list, of one rank.
struct Part {
  Runs runs;
  int64_t begin, end;
};

/// Elements that lie together in the list and in the factor.
struct Stretch {
  int64_t place, number, size;

  bool operator<(const Stretch &other) const { return place < other.place; }
};
} // namespace

/// A zigzag has two a part, and stripes are not listed.
static constexpr size_t kMostStretches = size_t(1) << 22;

/// Whether parts are stripes: of every so many elements each has its own.
static bool areStripes(const std::vector<Part> &parts) {
  std::vector<std::pair<int64_t, Runs>> windows; // by the first element of each
  for (const Part &part : parts) {
    const Runs &runs = part.runs;
    if (runs.every != parts.front().runs.every || runs.every < runs.length)
      return false;
    windows.push_back({runs.first % runs.every, runs});
  }
  std::sort(windows.begin(), windows.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  for (size_t i = 0; i < windows.size(); ++i) {
    const auto &[first, runs] = windows[i];
    if (first + runs.length > runs.every)
      return false;
    if (i == 0)
      continue;
    const auto &[before, others] = windows[i - 1];
    bool areOne = runs.first == others.first && runs.begin == others.begin &&
                  runs.length == others.length;
    if (!areOne && before + others.length > first)
      return false;
  }
  return true;
}

/// False if there are too many.
static bool addStretches(const Part &part, std::vector<Stretch> &all) {
  for (int64_t next = part.begin; next < part.end;) {
    int64_t count = std::min(part.end - next, part.runs.together(next));
    all.push_back({part.runs.placeOf(next), next, count});
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

/// Whether all that a part has is of [0, extent).
static bool isInside(const Part &part, int64_t extent) {
  const Runs &runs = part.runs;
  int64_t count = part.end - part.begin;
  int64_t last = part.end - 1 - runs.begin; // of its runs
  if (__int128(last / runs.length) * runs.every >= extent)
    return false;
  // The last one of the last run, and of the one before, which may be longer.
  int64_t whole = last / runs.length * runs.length - 1;
  return runs.placeOf(part.end - 1) < extent &&
         (whole < 0 || last - whole >= count ||
          runs.placeOf(runs.begin + whole) < extent);
}

bool Checker::checkRuns(const Cut &cut, int64_t extent) {
  std::vector<Part> parts;
  for (size_t i = 0; i < plan.tables[cut.offset].values.size(); ++i) {
    auto valueOf = [&](int table) { return plan.tables[table].values[i]; };
    Runs runs{valueOf(cut.runs->begin), valueOf(cut.runs->first),
              valueOf(cut.runs->length), valueOf(cut.runs->every)};
    int64_t begin = valueOf(cut.offset), end = begin + valueOf(cut.size);
    if (begin == end)
      continue;
    if (runs.begin < 0 || runs.begin > begin || runs.first < 0 ||
        runs.first >= extent || runs.length < 1 || runs.every < 0)
      return fail("runs of " + std::to_string(runs.length) + " every " +
                  std::to_string(runs.every) + " from " +
                  std::to_string(runs.first) + " on are not of the extent " +
                  std::to_string(extent));
    parts.push_back({runs, begin, end});
    if (!isInside(parts.back(), extent))
      return fail("runs leave the extent " + std::to_string(extent));
  }
  if (areStripes(parts))
    return true;
  std::vector<Stretch> all;
  for (const Part &part : parts)
    if (!addStretches(part, all))
      return fail("a cut has more than " + std::to_string(kMostStretches) +
                  " runs");
  if (int64_t place = findShared(all); place >= 0)
    return fail("two parts have element " + std::to_string(place));
  return true;
}

} // namespace hocket::plan
