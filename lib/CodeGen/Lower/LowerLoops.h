//===- LowerLoops.h - loops over memrefs to the LLVM dialect ---*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_LOWER_LOWERLOOPS_H
#define HOCKET_LIB_CODEGEN_LOWER_LOWERLOOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace hocket::codegen {

/// Replaces f32 exp, log, tanh, erf and erfc by polynomials, which vectorize;
/// their relative error is below 4e-7. f64 functions stay calls of libm.
/// `expandBf16`: conversions of bf16 become integer operations, for CPUs
/// without instructions for them.
void addMathPasses(mlir::OpPassManager &passes, bool expandBf16);

/// From there to the LLVM dialect; memref arguments become bare pointers.
void addLlvmPasses(mlir::OpPassManager &passes);

/// Dialects that emitLoops and these passes need.
void loadLoopDialects(mlir::MLIRContext &context);
void insertLoopDialects(mlir::DialectRegistry &registry);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_LOWER_LOWERLOOPS_H
