//===- HaloRuns.h - what members of a halo hold, as runs of places -*- C++ -*-//
//
// A member holds an interval, or some listed runs: data in one run, and what a
// border shows in one or two more. What is asked of a halo is answered by run,
// so that time grows with runs and members and not with positions.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_HALORUNS_H
#define HOCKET_PLAN_HALORUNS_H

#include "hocket/Plan/Halo.h"

namespace hocket::plan {

/// Places [begin, end) of a dim, each shown by `times` positions.
struct PlaceRun {
  int64_t begin, end, times = 1;
};

/// The places that what a member holds shows.
std::vector<PlaceRun> shownBy(const Halo &halo, int64_t member);

/// Positions in a run that show what the member owns.
int64_t ownedOf(const Halo &halo, const PlaceRun &run, int64_t member);

/// Positions that `me` reads from each member, itself left out, when margins
/// are attached, and when they are added back.
std::vector<int64_t> readInExchange(const Halo &halo, int64_t me);
std::vector<int64_t> readInReduce(const Halo &halo, int64_t me);

/// By member: positions that come from others, and from how many they come.
struct HaloCounts {
  std::vector<int64_t> positions, peers;
};

/// The sums of these of all members, whose pairs are not looked at.
HaloCounts countExchange(const Halo &halo);
HaloCounts countReduce(const Halo &halo);

} // namespace hocket::plan

#endif // HOCKET_PLAN_HALORUNS_H
