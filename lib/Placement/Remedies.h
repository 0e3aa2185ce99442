//===- Remedies.h - ways out that have been tried --------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_REMEDIES_H
#define HOCKET_LIB_PLACEMENT_REMEDIES_H

#include "hocket/Placement/PathTree.h"
#include "hocket/Placement/Place.h"
#include "hocket/Placement/Problems.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::placement {

/// Of each problem's ways out keeps those that work: `model` (as it was before
/// placement) with the line added has the problem no more, at any instance, and
/// no new one. They are sorted by bytes, and their paths are patterns that
/// cover all instances of the problem.
void keepLegalWays(Problems &problems, mlir::ModuleOp model);

/// The problems, each group as one, with its ways out as patterns. Where other
/// groups ask for the same at other instances, the wider pattern comes first.
std::vector<Finding> findingsOf(Problems &problems, const PathTree &tree);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_REMEDIES_H
