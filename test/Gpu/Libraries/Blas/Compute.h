//===- Compute.h - the numbers of a product --------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_COMPUTE_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_COMPUTE_H

#include "test/Gpu/Libraries/Blas/Algorithm.h"
#include "test/Gpu/Libraries/Device.h"

namespace hocket::lookalike {

struct Call {
  Problem problem;
  Algorithm algorithm;
  double alpha = 1, beta = 0;
  uint64_t a = 0, b = 0, c = 0, d = 0, workspace = 0; // addresses
};

/// Computes in f32, or in f64 where the result is; each product and each sum is
/// rounded. C is read only if beta is not 0. Ends at the first finding.
void compute(const Call &call, DeviceMemory &memory);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_COMPUTE_H
