//===- LowerKernels.h - shows what a kernel becomes ------------*- C++ -*-===//
//
// For hocket-opt: --hocket-lower-kernels replaces every func.func of nn
// operations by the loops that KernelCompiler compiles. Strides that are not
// dense are `kernel.strides = array<i64: ...>` on arguments and results.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_CODEGEN_LOWERKERNELS_H
#define HOCKET_CODEGEN_LOWERKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket::codegen {

constexpr llvm::StringLiteral kStrides = "kernel.strides";
/// Bytes that an address is a multiple of (i64): a power of two, at least an
/// element's, which are meant if it is absent.
constexpr llvm::StringLiteral kAlignment = "kernel.alignment";

/// Each function `f` becomes `f(inputs..., tables..., outputs..., scalars...,
/// begin, end)` on flat memrefs; tables become functions `f_table0`, ...
/// `toLlvm`: on to the LLVM dialect, as it is translated. The context must have
/// the dialects loaded that the pass depends on.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module, bool toLlvm);

void registerLowerKernelsPass();

/// --hocket-kernels-to-ptx: prints one PTX module of all functions that have a
/// body, behind a line for each launch, and erases them.
void registerKernelsToPtxPass();

} // namespace hocket::codegen

#endif // HOCKET_CODEGEN_LOWERKERNELS_H
