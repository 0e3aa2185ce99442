//===- ProductChecks.h - what of a product cuBLASLt has --------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_PRODUCTCHECKS_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_PRODUCTCHECKS_H

#include "runtime/lib/Cuda/Blas/ProductForm.h"
#include "runtime/lib/Cuda/ListText.h"

namespace hocket::runtime::cuda {

/// Sets the form's types, epilogue and added operand; a sentence about a type,
/// an epilogue or a stride that cuBLASLt does not have, or nothing.
std::string checkArguments(const ProductArguments &arguments,
                           ProductForm &form);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_PRODUCTCHECKS_H
