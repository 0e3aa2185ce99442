//===- PlanText.h - plans for people ---------------------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_PLANTEXT_H
#define HOCKET_TOOLS_HOCKET_PLANTEXT_H

#include "hocket/Bound/StepBound.h"
#include "hocket/Plan/Plan.h"
#include <nlohmann/json.hpp>

namespace hocket::tool {

/// Collectives, totals, memory, flops, and where ranks differ. Equal layers are
/// shown once, or one by one where `everyLayer`.
void printPlan(const plan::Plan &plan, bool everyLayer);

/// Of two plans for GPUs the least times of their steps.
struct Bounds {
  bound::DescribedDevice device;
  bound::StepBound first, second;
};

/// What two schedules of one model cost, and the difference.
void printDifference(const plan::Plan &first, const plan::Plan &second,
                     const std::optional<Bounds> &bounds);
nlohmann::ordered_json differenceJson(const plan::Plan &first,
                                      const plan::Plan &second,
                                      const std::optional<Bounds> &bounds);

/// The largest of a list of numbers, 0 for none.
int64_t most(const nlohmann::ordered_json &list);
/// "1.2 GFLOP".
std::string flopsText(int64_t flops);
/// The most that the packed weights of a rank take at least.
int64_t packedBytes(const plan::Plan &plan);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_PLANTEXT_H
