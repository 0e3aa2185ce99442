//===- Costs.cpp - what a step costs each rank ----------------------------===//

#include "hocket/Plan/Costs.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Plan/Work.h"
#include <algorithm>

namespace hocket::plan {

std::vector<Costs> costsByRank(const Plan &plan) {
  return costsByRank(plan, Traffic(plan, &RankClass::step));
}

std::vector<Costs> costsByRank(const Plan &plan, const Traffic &step) {
  std::vector<Costs> costs(plan.rankCount());
  for (const RankClass &rankClass : plan.classes) {
    Costs ofClass;
    ofClass.memoryBytes = memoryAtLeast(rankClass);
    for (int64_t rank : rankClass.ranks)
      costs[rank] = ofClass;
  }
  bool hasHooks = false;
  std::vector<Received> received = step.total([&](const Collective &one) {
    hasHooks |= !one.hook.empty();
    return one.hook.empty();
  });
  std::vector<Received> byHooks;
  if (hasHooks)
    byHooks =
        step.total([](const Collective &one) { return !one.hook.empty(); });
  std::vector<int64_t> flops = flopsByRank(plan);
  for (size_t rank = 0; rank < costs.size(); ++rank) {
    costs[rank].flops = flops[rank];
    costs[rank].receivedBytes = received[rank].bytes;
    costs[rank].hookBytes = hasHooks ? byHooks[rank].bytes : 0;
  }
  return costs;
}

Costs mostOf(const std::vector<Costs> &costs) {
  Costs most;
  for (const Costs &one : costs) {
    most.receivedBytes = std::max(most.receivedBytes, one.receivedBytes);
    most.hookBytes = std::max(most.hookBytes, one.hookBytes);
    most.memoryBytes = std::max(most.memoryBytes, one.memoryBytes);
    most.flops = std::max(most.flops, one.flops);
  }
  return most;
}

} // namespace hocket::plan
