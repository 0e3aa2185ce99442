//===- Costs.h - what a step costs each rank, as numbers -------*- C++ -*-===//

#ifndef HOCKET_PLAN_COSTS_H
#define HOCKET_PLAN_COSTS_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

struct Costs {
  /// From other ranks in one step, without what hooks move.
  int64_t receivedBytes = 0;
  /// What hooks receive besides, if they move what collectives of their kinds
  /// do; nobody counts it in a run.
  int64_t hookBytes = 0;
  /// Weights, packed ones at their least, activations and what steps change.
  int64_t memoryBytes = 0;
  int64_t flops = 0; // of one step
};

class Traffic;

/// The costs of each rank; `step` is the traffic of the plan's steps, where it
/// is known already.
std::vector<Costs> costsByRank(const Plan &plan);
std::vector<Costs> costsByRank(const Plan &plan, const Traffic &step);

/// The most of each that a rank has; not always the same rank.
Costs mostOf(const std::vector<Costs> &costs);

} // namespace hocket::plan

#endif // HOCKET_PLAN_COSTS_H
