//===- AxisCuts.cpp - cuts of a factor, counted in other elements ---------===//

#include "AxisCuts.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

AxisCuts placement::inElements(ArrayRef<AxisCut> cuts, int64_t count) {
  return llvm::map_to_vector<2>(
      cuts, [&](const AxisCut &cut) { return cut.times(count); });
}

std::optional<AxisCuts> placement::inGroups(ArrayRef<AxisCut> cuts,
                                            int64_t count) {
  AxisCuts counted;
  for (const AxisCut &cut : cuts) {
    std::optional<AxisCut> groups = cut.over(count);
    if (!groups)
      return std::nullopt;
    counted.push_back(std::move(*groups));
  }
  return counted;
}

void placement::takeBounds(AxisCuts &all, ArrayRef<AxisCut> own) {
  for (auto [cut, mine] : llvm::zip(all, own))
    if (cut == mine && (cut.bounds.empty() ||
                        cut.bounds.denominator < mine.bounds.denominator))
      cut.bounds = mine.bounds;
}
