//===- Costs.cpp - what a step costs each rank ----------------------------===//

#include "hocket/Plan/Costs.h"
#include "hocket/Plan/Summary.h"
#include <algorithm>

namespace hocket::plan {

/// Adds what the ranks of a class receive. Those at one coordinate along the
/// axes of a collective receive alike, each in its own group.
static void addReceived(const Plan &plan, const RankClass &rankClass,
                        const Collective &collective,
                        std::vector<Costs> &costs) {
  std::vector<int64_t> received(plan.memberCount(collective.axes), -1);
  for (int64_t rank : rankClass.ranks) {
    int64_t &bytes = received[plan.coordinate(rank, collective.axes)];
    if (bytes < 0)
      bytes = receivedBytes(plan, rankClass, collective, rank);
    costs[rank].receivedBytes += bytes;
  }
}

std::vector<Costs> costsByRank(const Plan &plan) {
  std::vector<Costs> costs(plan.rankCount());
  for (const RankClass &rankClass : plan.classes) {
    for (int64_t rank : rankClass.ranks)
      costs[rank] = {0, memoryAtLeast(rankClass), rankClass.budget.flops};
    for (const Instruction &instruction : rankClass.step) {
      auto *collective = std::get_if<Collective>(&instruction.body);
      if (collective && collective->moves() && collective->hook.empty())
        addReceived(plan, rankClass, *collective, costs);
    }
  }
  return costs;
}

Costs mostOf(const std::vector<Costs> &costs) {
  Costs most;
  for (const Costs &one : costs) {
    most.receivedBytes = std::max(most.receivedBytes, one.receivedBytes);
    most.memoryBytes = std::max(most.memoryBytes, one.memoryBytes);
    most.flops = std::max(most.flops, one.flops);
  }
  return most;
}

} // namespace hocket::plan
