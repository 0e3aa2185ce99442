//===- ExpectedCosts.h - what a schedule expects of its costs --*- C++ -*-===//

#ifndef HOCKET_LIB_PIPELINE_EXPECTEDCOSTS_H
#define HOCKET_LIB_PIPELINE_EXPECTEDCOSTS_H

#include "hocket/Plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Checks `expect bytes` and `expect memory` (module attribute nn.expect)
/// against the plan: bytes received by the rank that receives most in a step,
/// weights (packed ones at their least) and arena of the rank that holds most.
mlir::LogicalResult checkExpectedCosts(mlir::ModuleOp module,
                                       const plan::Plan &plan);

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_EXPECTEDCOSTS_H
