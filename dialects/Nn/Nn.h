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

/// The `nn.seed` of the module that holds the operation; 0 if it has none.
int64_t seedOf(mlir::Operation *op);

/// The parameters and states that a step changes: what nn.assign names.
llvm::DenseSet<mlir::StringAttr> assignedNames(mlir::Block &block);

/// No other parameter or state of the function has the name of this one.
mlir::LogicalResult verifyStoredName(mlir::Operation *op);

/// Creates an op whose result type follows from its operands. Where they don't
/// fit, says so at `location` and returns null, and nothing is created (what
/// `create` without result types would end the process for).
template <class OpTy, class... Args>
OpTy createInferred(mlir::OpBuilder &builder, mlir::Location location,
                    Args &&...args) {
  mlir::OperationState state(location, OpTy::getOperationName());
  OpTy::build(builder, state, mlir::TypeRange(builder.getNoneType()),
              std::forward<Args>(args)...);
  state.types.clear();
  if (failed(OpTy::inferReturnTypes(
          builder.getContext(), location, state.operands,
          state.attributes.getDictionary(builder.getContext()),
          state.getRawProperties(), {}, state.types)))
    return {};
  return mlir::cast<OpTy>(builder.create(state));
}

} // namespace hocket::nn

#endif // HOCKET_NN_NN_H
