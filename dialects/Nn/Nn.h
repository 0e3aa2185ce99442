//===- Nn.h - the nn dialect: operations on whole tensors ------*- C++ -*-===//
//
// What all of them share. The operations themselves are declared by kind, in
// Values.h, Elementwise.h, Shape.h, Products.h, Norms.h, Windows.h,
// Neighborhood.h, Edges.h and Hook.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_NN_H
#define HOCKET_NN_NN_H

#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Layout.h"
#include "dialects/Nn/PlacementRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

#include "dialects/Nn/NnDialect.h.inc"
#include "dialects/Nn/NnInterfaces.h.inc"

namespace hocket::nn {

/// The seed of the nn.model that the operation belongs to; 0 if there is none.
int64_t seedOf(mlir::Operation *op);

/// The parameters and states that a step changes: what nn.assign names.
llvm::DenseSet<mlir::StringAttr> assignedNames(mlir::Block &block);

/// No other parameter or state of the function has the name of this one.
mlir::LogicalResult verifyStoredName(mlir::Operation *op);

} // namespace hocket::nn

#endif // HOCKET_NN_NN_H
