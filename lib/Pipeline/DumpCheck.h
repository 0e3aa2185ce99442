//===- DumpCheck.h - what a dump must say besides its operations *- C++ -*-===//

#ifndef HOCKET_LIB_PIPELINE_DUMPCHECK_H
#define HOCKET_LIB_PIPELINE_DUMPCHECK_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Whether a dump, which may have been edited, has the attributes that a stage
/// relies on besides those of its operations' definitions, each of its kind.
mlir::LogicalResult checkDump(mlir::ModuleOp module, llvm::StringRef stage);

/// The same of a module that is no dump, of a kernel in a plan: its functions
/// are no programs.
mlir::LogicalResult checkKernelText(mlir::ModuleOp module);

/// Whether what its attributes and types name is there: mesh axes, buffers.
mlir::LogicalResult checkReferences(mlir::ModuleOp module,
                                    llvm::StringRef stage);

} // namespace hocket

#endif // HOCKET_LIB_PIPELINE_DUMPCHECK_H
