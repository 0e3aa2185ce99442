//===- Nn.h - the nn dialect: operations on whole tensors ------*- C++ -*-===//

#ifndef HOCKET_NN_NN_H
#define HOCKET_NN_NN_H

#include "dialects/Nn/Layout.h"
#include "dialects/Nn/PlacementRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Nn/NnDialect.h.inc"
#include "dialects/Nn/NnInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Nn/NnOps.h.inc"

#endif // HOCKET_NN_NN_H
