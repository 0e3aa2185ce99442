//===- Partition.h - from the placed program to one a rank class *- C++ -*-===//
//
// placed -> spmd. Ranks whose local shapes are all equal form a class; each
// class gets one function of operations on local tensors, with the collectives
// that the redistributions ask for. See dialects/Spmd/SpmdDialect.td for what
// the result looks like.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_PARTITION_H
#define HOCKET_TRANSFORMS_PARTITION_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Replaces the one placed function of `module` by @class0, @class1, ...
/// The module keeps nn.model and nn.placement. On failure errors have
/// been emitted at the operations concerned and the module is to be dropped.
mlir::LogicalResult partition(mlir::ModuleOp module);

/// Checks what has to agree between the classes of a partitioned module: they
/// hold every rank once, their collectives have the same ids in the same order,
/// and the members of each collective bring shapes that fit. `partition` ends
/// with it.
mlir::LogicalResult checkClasses(mlir::ModuleOp module);

/// Registers --hocket-partition.
void registerPartitionPass();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_PARTITION_H
