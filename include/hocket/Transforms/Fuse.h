//===- Fuse.h - groups operations into kernels ------------------*- C++ -*-===//
//
// spmd -> spmd. Element-wise operations that a product computes on the way stay
// where they are; the rest of the element-wise and reducing operations are
// gathered in spmd.kernel groups, as large as the kernel compiler takes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_FUSE_H
#define HOCKET_TRANSFORMS_FUSE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

/// Reports a fuse line whose operations are not one kernel of a fused module,
/// and takes the marks away.
mlir::LogicalResult checkPinned(mlir::ModuleOp module);

/// Groups the operations of every class function of `module`.
mlir::LogicalResult fuse(mlir::ModuleOp module);

/// The values of a class function that depend neither on its inputs nor on what
/// a step changes: computed once, when loading. Collectives are never among
/// them.
llvm::DenseSet<mlir::Value> loadTimeValues(mlir::Block &body);

/// Whether the op is a window on its operand's memory: rearrange, slice,
/// spmd.slice, broadcast.
bool isViewOp(mlir::Operation *op);

/// Registers --hocket-fuse.
void registerFusePass();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_FUSE_H
