//===- MatrixProduct.h - the product of two matrices -----------*- C++ -*-===//

#ifndef HOCKET_LIB_REFERENCE_MATRIXPRODUCT_H
#define HOCKET_LIB_REFERENCE_MATRIXPRODUCT_H

#include <cstdint>

namespace hocket::reference {

/// Element (i, j) is data[i * rowStride + j * columnStride].
struct Matrix {
  const double *data;
  int64_t rowStride, columnStride;
};

/// c[m, n] += sum_k a[m, k] b[k, n], with c row-major and dense. In blocks that
/// fit the caches: the reference evaluates models of real sizes. The terms of
/// an element are added in the order of k, by blocks.
void addProduct(Matrix a, Matrix b, double *c, int64_t m, int64_t n, int64_t k);

} // namespace hocket::reference

#endif // HOCKET_LIB_REFERENCE_MATRIXPRODUCT_H
