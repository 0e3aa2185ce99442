//===- Bufferize.h - where values lie ---------------------------*- C++ -*-===//
//
// kernels -> buffers. Gives each value of a class function its memory order,
// its place and its end:
//   - orders: in the order in which the target writes best (Target);
//   - destinations: where its users want it, so that nothing is moved later
//     (Destinations, one walk backwards);
//   - emission: buffers, views and computes in program order, with a copy where
//     the target cannot read what is there.
// See dialects/Buffers for what the result looks like.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_BUFFERIZE_H
#define HOCKET_TRANSFORMS_BUFFERIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Replaces the body of every class function of `module`. On failure errors
/// have been emitted and the module is to be dropped.
mlir::LogicalResult bufferize(mlir::ModuleOp module);

/// Checks what concerns whole functions of the buffers stage: views lie in
/// their buffers on every rank, lives end once, what is read has been written.
mlir::LogicalResult checkBuffers(mlir::ModuleOp module);

/// Registers --hocket-bufferize and --hocket-check-buffers.
void registerBufferizePasses();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_BUFFERIZE_H
