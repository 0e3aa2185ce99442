//===- ComputeFused.h - the numbers of a fused graph -----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_COMPUTEFUSED_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_COMPUTEFUSED_H

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Fused.h"
#include <map>

namespace hocket::lookalike {

struct FusedCall {
  Fused fused;
  Engine engine;
  std::map<size_t, uint64_t> addresses; // by tensor
  std::map<size_t, double> values;      // of numbers on the host
  uint64_t workspace = 0;
};

/// Computes each operation in f32; ends at the first finding.
void compute(const FusedCall &call, DeviceMemory &memory);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_COMPUTEFUSED_H
