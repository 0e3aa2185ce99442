//===- HaloRuns.cpp - what members of a halo hold, as runs of places ------===//

#include "hocket/Plan/HaloRuns.h"

namespace hocket::plan {

static std::vector<PlaceRun> runsOf(const std::vector<int64_t> &list) {
  std::vector<PlaceRun> runs;
  for (int64_t place : list)
    if (!runs.empty() && runs.back().end == place)
      ++runs.back().end;
    else
      runs.push_back({place, place + 1});
  return runs;
}

std::vector<PlaceRun> shownBy(const Halo &halo, int64_t member) {
  if (!halo.rows.empty())
    return runsOf(halo.rows[member]);
  int64_t extent = halo.extent, begin = halo.heldOffset[member];
  int64_t end = begin + halo.heldSize[member];
  std::vector<PlaceRun> runs;
  auto add = [&](int64_t from, int64_t to, int64_t times = 1) {
    if (from < to)
      runs.push_back({from, to, times});
  };
  add(std::max<int64_t>(begin, 0), std::min(end, extent));
  // Positions [begin, before) lie before the data, [after, end) behind it.
  int64_t before = std::max(std::min<int64_t>(end, 0), begin);
  int64_t after = std::min(std::max(begin, extent), end);
  switch (halo.border) {
  case Border::Zero:
    break;
  case Border::Reflect:
    add(1 - before, 1 - begin);
    add(2 * extent - 1 - end, 2 * extent - 1 - after);
    break;
  case Border::Replicate:
    add(0, before > begin, before - begin);
    add(extent - (end > after), extent, end - after);
    break;
  case Border::Circular:
    add(begin + extent, before + extent);
    add(after - extent, end - extent);
    break;
  }
  return runs;
}

int64_t ownedOf(const Halo &halo, const PlaceRun &run, int64_t member) {
  int64_t begin = std::max(run.begin, halo.offset[member]);
  int64_t end = std::min(run.end, halo.offset[member] + halo.size[member]);
  return std::max<int64_t>(end - begin, 0) * run.times;
}

std::vector<int64_t> readInExchange(const Halo &halo, int64_t me) {
  std::vector<int64_t> counts(halo.size.size(), 0);
  for (const PlaceRun &run : shownBy(halo, me))
    for (int64_t peer = 0; peer < int64_t(counts.size()); ++peer)
      counts[peer] += peer == me ? 0 : ownedOf(halo, run, peer);
  return counts;
}

std::vector<int64_t> readInReduce(const Halo &halo, int64_t me) {
  std::vector<int64_t> counts(halo.size.size(), 0);
  for (int64_t peer = 0; peer < int64_t(counts.size()); ++peer)
    if (peer != me)
      for (const PlaceRun &run : shownBy(halo, peer))
        counts[peer] += ownedOf(halo, run, me);
  return counts;
}

} // namespace hocket::plan
