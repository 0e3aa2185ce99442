//===- KernelFunctions.h - functions that stand for kernels ----*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_KERNELFUNCTIONS_H
#define HOCKET_LIB_CODEGEN_KERNELFUNCTIONS_H

#include "hocket/CodeGen/KernelCompiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket::codegen {

/// The kernel that a function with a body stands for, strides and alignments
/// from the attributes of its arguments and results (LowerKernels.h). Fails
/// after an error at the function if it is none.
mlir::FailureOr<KernelRequest> requestOf(mlir::func::FuncOp function);

/// What the kernel of a table is called, of the function that reads it.
std::string nameOfTable(mlir::func::FuncOp function, size_t table);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_KERNELFUNCTIONS_H
