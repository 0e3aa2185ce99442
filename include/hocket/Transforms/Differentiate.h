//===- Differentiate.h - the backward of a placed program ------*- C++ -*-===//
//
// Reverse mode on whole tensors, where a redistribution is the identity. What
// each rank holds of a gradient follows from what it holds of the value:
//
//   value          whole   split by f   partial sum
//   its gradient   whole   split by f   whole
//
// All contributions to the gradient of a value are added first, partial sums
// as partial sums, and redistributed once, where the value is defined. That
// makes every collective of the backward: the gradient of a gathered value is
// scattered, of a scattered one gathered, of a parameter that is used on split
// data summed. None is written by hand, so none is forgotten or doubled.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_DIFFERENTIATE_H
#define HOCKET_TRANSFORMS_DIFFERENTIATE_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// What `gradients` of nn.model mean.
/// all: of every float output a cotangent comes in as input `OUTPUT.grad`,
/// and the gradients of all float inputs and parameters go out as `NAME.grad`.
/// parameters: the one output is a loss without dims, its cotangent is 1, and
/// the gradients of parameters go out.
///
/// Extends the placed function of a module that has them by its backward;
/// leaves other modules as they are. Fails, with errors at model lines, where
/// an operation has no derivative.
mlir::LogicalResult differentiate(mlir::ModuleOp module);

/// Registers --hocket-differentiate.
void registerDifferentiatePass();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_DIFFERENTIATE_H
