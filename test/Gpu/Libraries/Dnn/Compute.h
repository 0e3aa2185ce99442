//===- Compute.h - the numbers of a convolution ----------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_COMPUTE_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_COMPUTE_H

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Problem.h"

namespace hocket::lookalike {

struct Call {
  Problem problem;
  Engine engine;
  uint64_t x = 0, weight = 0, y = 0, bias = 0, workspace = 0; // addresses
};

/// Bytes of the tensor at `address`, neighbours as one range, by address.
std::vector<HocketLookalikeRange> rangesOf(const Tensor &tensor,
                                           uint64_t address);

/// Computes in f32, or in f64; each product and each sum is rounded. Ends at
/// the first finding.
void compute(const Call &call, DeviceMemory &memory);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_COMPUTE_H
