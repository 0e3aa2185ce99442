//===- BaselineProduct.h - cuBLASLt's product alone ------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_ONGPU_BASELINEPRODUCT_H
#define HOCKET_TEST_GPU_ONGPU_BASELINEPRODUCT_H

#include "BaselineGpu.h"

namespace hocket::baseline {

/// [m, k] times the transposed [n, k], as a linear layer is.
struct ProductShape {
  int64_t m = 0, n = 0, k = 0;
  ElementType in = ElementType::F32, out = ElementType::F32;
};

/// Of the algorithms that cuBLASLt offers, with as much workspace as Hocket
/// gives it.
struct ProductTimes {
  Times first, fastest; ///< of the one that it offers first, and of the fastest
  int offered = 0;
};
runtime::Status timeProduct(Gpu &gpu, const ProductShape &shape, int64_t runs,
                            ProductTimes &times);

} // namespace hocket::baseline

#endif // HOCKET_TEST_GPU_ONGPU_BASELINEPRODUCT_H
