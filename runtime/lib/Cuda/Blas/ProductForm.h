//===- ProductForm.h - a product as cuBLASLt sees it -----------*- C++ -*-===//
//
// cuBLASLt computes D = act(A B + C + bias) of matrices stored by columns, with
// the bias along D's columns. A plan's c by rows is D transposed: then A is b
// and B is a, both transposed. A c by columns is D itself.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_PRODUCTFORM_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_PRODUCTFORM_H

#include "hocket/Cuda/Product.h"
#include "runtime/lib/Cuda/Blas/Api.h"

namespace hocket::runtime::cuda {

/// One matrix, stored by columns; of a batch where `batchStride` says so.
/// Extents and strides in elements.
struct BlasMatrix {
  int64_t rows = 0, columns = 0, leading = 0;
  bool isTransposed = false; // the product reads it so
  int64_t batchStride = 0;
  std::vector<int64_t> loopStrides; // by ProductForm::loops
};

struct ProductForm {
  /// Why there is none; then nothing else of this is set.
  std::string reason;
  bool isEmpty = false; // c has no elements
  /// The sum has no terms: a and b are one column and one row of zeros, made
  /// at the beginning of the workspace.
  bool isSumEmpty = false;
  /// Whether A is the plan's b, because c lies by rows.
  bool isExchanged = false;
  BlasMatrix a, b, c, d; // c only if something is added
  int64_t batchCount = 1;
  std::vector<int64_t> loops; // extents
  BlasType inputs = BlasF32, result = BlasF32;
  BlasEpilogue epilogue = BlasDefault;
  const Operand *added = nullptr; // in the arguments

  int64_t calls() const;
  /// Makes the batch one more loop of calls.
  void loopOverBatch();
  /// Of the zeros that stand for a and b, a multiple of 256.
  int64_t zeroBytes() const;
};

ProductForm formOf(const ProductArguments &arguments);

/// "[128, 768] x [768, 3072] f32".
std::string describe(const ProductArguments &arguments);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_PRODUCTFORM_H
