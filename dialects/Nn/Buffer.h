//===- Buffer.h - parameters that no gradient changes ----------*- C++ -*-===//
//
// A Buffer of the language, and the running statistics of a batch norm: both
// are in the file of weights. Statistics move on in training: a function
// returns what they are next, behind its own outputs, and the optimizer's pass
// makes assignments of these.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_BUFFER_H
#define HOCKET_NN_BUFFER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace hocket::nn {

/// Unit attribute of a parameter: not trained, and not split by fsdp.
inline constexpr llvm::StringLiteral kBuffer = "nn.buffer";

/// On a normalize of training: the paths of the mean and variance that take the
/// place of its own where nothing is trained.
inline constexpr llvm::StringLiteral kRunning = "nn.running";

/// x [batch, channels, n...] less the mean and divided by the root of the
/// variance + eps, both [channels]. Element types are equal.
mlir::Value normalizeByRunning(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value x, mlir::Value mean,
                               mlir::Value variance, double eps);

} // namespace hocket::nn

#endif // HOCKET_NN_BUFFER_H
