//===- Epilogues.h - what a contraction computes on the way -----*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_FUSE_EPILOGUES_H
#define HOCKET_LIB_TRANSFORMS_FUSE_EPILOGUES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket {

/// Marks operations with kInEpilogue: a chain of single uses after a linear or
/// matmul of activations and sums or products with a tensor of equal shape that
/// is there before the contraction runs.
void markEpilogues(mlir::Block &body,
                   const llvm::DenseSet<mlir::Value> &loadTime);

} // namespace hocket

#endif // HOCKET_LIB_TRANSFORMS_FUSE_EPILOGUES_H
