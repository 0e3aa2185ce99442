//===- AxisCuts.h - cuts of a factor, counted in other elements -*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_AXISCUTS_H
#define HOCKET_LIB_PLACEMENT_AXISCUTS_H

#include "hocket/Placement/Meet.h"
#include <optional>

namespace hocket::placement {

/// The cuts that `count` elements make of each.
AxisCuts inElements(llvm::ArrayRef<AxisCut> cuts, int64_t count);

/// The cuts of an operand in groups of `count`; nothing where one divides a
/// group.
std::optional<AxisCuts> inGroups(llvm::ArrayRef<AxisCut> cuts, int64_t count);

/// Of parts that meet, the stated bounds, and of several those in the smallest
/// fractions: the first ones that have such.
void takeBounds(AxisCuts &all, llvm::ArrayRef<AxisCut> own);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_AXISCUTS_H
