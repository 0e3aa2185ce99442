//===- Train.h - the optimizer of a training step --------------*- C++ -*-===//
//
// placed -> placed. A module whose nn.model has a recipe has the gradients of
// its parameters as outputs `PATH.grad`; see
// lib/Frontend/Elaborate/TrainRecipe.h for what the recipe says. They become
// clipped updates of parameters and of what the optimizer keeps of each
// (nn.state, nn.assign); outputs are then
//
//   loss, grad_norm (before clipping), lr, and loss_scale if there is one
//
// Everything is made of nn operations that are placed by their own rules: of
// the squares of a split gradient each rank sums its part, and all of these
// sums are completed by one all_reduce.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_TRAIN_H
#define HOCKET_TRANSFORMS_TRAIN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace hocket {

/// In the recipe, {first : f64, dynamic : bool}: the cotangent of the loss,
/// instead of 1. Also the name of the state that holds it where it changes.
inline constexpr llvm::StringLiteral kLossScale = "loss_scale";

/// Leaves modules that are not trained as they are.
mlir::LogicalResult train(mlir::ModuleOp module);

/// The model stage of a recipe that validates: its loss, dropout off, nothing
/// trained. Null for other modules.
mlir::OwningOpRef<mlir::ModuleOp> validationOf(mlir::ModuleOp model);

/// Registers --hocket-train.
void registerTrainPass();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_TRAIN_H
