//===- MemberCounts.h - what members receive in a collective ---*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_MEMBERCOUNTS_H
#define HOCKET_LIB_PLAN_MEMBERCOUNTS_H

#include "hocket/Plan/HaloRuns.h"
#include "hocket/Plan/Traffic.h"
#include <map>

namespace hocket::plan {

/// All that the bytes of a collective depend on, in a class: equal keys, equal
/// bytes.
std::vector<int64_t> keyOf(const RankClass &rankClass,
                           const Collective &collective);

/// Counts what each member of a group receives; halos that are equal in all
/// classes once.
class MemberCounter {
public:
  explicit MemberCounter(const Plan &plan) : plan(plan) {}

  std::vector<Received> count(const RankClass &rankClass,
                              const Collective &collective);

private:
  const HaloCounts &haloCounts(const HaloExchange &halo);
  const HaloCounts &haloCounts(const HaloReduce &halo);

  const Plan &plan;
  std::map<std::vector<int64_t>, HaloCounts> exchanges, reductions;
};

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_MEMBERCOUNTS_H
