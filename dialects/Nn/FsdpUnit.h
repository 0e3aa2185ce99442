//===- FsdpUnit.h - what is gathered and scattered together ----*- C++ -*-===//
//
// One match of an fsdp line is a unit: its parameters are gathered by one
// collective, and their gradients scattered by one. The attribute `nn.unit`,
// the path of the match, is on each parameter that fsdp splits, on the
// redistributions that gather it or scatter its gradient, and on the
// collectives that these become.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_FSDPUNIT_H
#define HOCKET_NN_FSDPUNIT_H

#include "dialects/Nn/Nn.h"

namespace hocket::nn {

inline constexpr llvm::StringLiteral kUnit = "nn.unit";

/// Marks the redistributions between `from` and `moved` as of the unit of
/// `parameter`.
void markUnit(mlir::Value parameter, mlir::Value from, mlir::Value moved);

} // namespace hocket::nn

#endif // HOCKET_NN_FSDPUNIT_H
