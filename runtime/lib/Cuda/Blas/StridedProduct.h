//===- StridedProduct.h - strides of a product, joined ---------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_STRIDEDPRODUCT_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_STRIDEDPRODUCT_H

#include "hocket/Cuda/Product.h"

namespace hocket::runtime::cuda {

/// Where a matrix of each batch entry lies, in elements.
struct MatrixStrides {
  std::vector<int64_t> batch;
  int64_t row = 0, column = 0;
};

/// What is left of the arguments when their types and values do not count.
struct StridedProduct {
  StridedProduct(const ProductArguments &arguments, const Operand *added);

  std::vector<int64_t> batch; // extents, none is 1
  int64_t m, n, k;
  MatrixStrides a, b, c;
  std::optional<MatrixStrides> added;

  /// Joins the last batch dims with the rows, as long as b is the same for all
  /// entries of one and the rows of the others continue.
  void joinRows();
  /// Joins batch dims with the next where all matrices continue.
  void joinBatches();

private:
  template <typename Visit> void forEach(Visit visit);
  void dropUnitDims();
  bool joinLastWithRows();
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_STRIDEDPRODUCT_H
