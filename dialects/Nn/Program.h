//===- Program.h - what is said of a whole program -------------*- C++ -*-===//

#ifndef HOCKET_NN_PROGRAM_H
#define HOCKET_NN_PROGRAM_H

#include "dialects/Nn/Nn.h"

#include "dialects/Nn/NnProgramEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/Nn/NnProgram.h.inc"

namespace hocket::nn {

/// Those of the module that is `op` or holds it; null if it has none, as what
/// stands alone in a test.
ModelOp modelOf(mlir::Operation *op);
PlacementOp placementOf(mlir::Operation *op);

/// The mesh that it is placed on; null before.
MeshAttr meshOf(mlir::Operation *op);

/// Of what it computes gradients; none without an nn.model.
Gradients gradientsOf(mlir::Operation *op);

/// What it is compiled for; a CPU without an nn.model.
Target targetOf(mlir::Operation *op);

/// A program for a CPU that says of a model no more than its name.
ModelOp createModel(mlir::OpBuilder &builder, mlir::Location location,
                    llvm::StringRef name);

/// Those of inputs and parameters are wanted, of every float output.
void computeAllGradients(mlir::ModuleOp module);

/// As many ranks as a schedule may say.
mlir::LogicalResult verifyMesh(mlir::Operation *op, MeshAttr mesh);

} // namespace hocket::nn

#endif // HOCKET_NN_PROGRAM_H
