//===- Fused.h - a graph that is computed as one kernel --------*- C++ -*-===//
//
// Products, pointwise operations, reductions and reshapes, as attention is
// described: each operation is computed as the documentation says, one after
// the other.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_FUSED_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_FUSED_H

#include "test/Gpu/Libraries/Dnn/Problem.h"

namespace hocket::lookalike {

struct FusedOperation {
  static constexpr int64_t none = -1;

  int64_t type = 0; // DnnDescriptorType
  int64_t kind = 0; // DnnPointwiseKind or DnnReduceKind
  int64_t axis = 0; // of DnnIndex
  int64_t compute = DnnF32;
  /// Numbers of Fused::tensors: a, b, rows, columns and terms of a product; x,
  /// b and the condition of a pointwise operation; x.
  Numbers operands;
  int64_t result = 0;

  int64_t operand(size_t i) const {
    return i < operands.size() ? operands[i] : none;
  }
};

struct Fused {
  std::vector<Tensor> tensors;
  std::vector<FusedOperation> operations;

  /// What the documentation forbids, or nothing.
  std::string check() const;
  /// Numbers of those with memory, and of these which are written.
  std::vector<size_t> placed() const;
  bool isWritten(size_t tensor) const;
  /// Whether a product adds to a tensor of f32 in memory what several blocks
  /// compute, in whatever order.
  bool addsInAnyOrder(const FusedOperation &operation) const;
  /// Of a gradient: the product that is dq, or null.
  const FusedOperation *lastProduct() const;

  Numbers pack() const;
  /// False for what pack() did not make.
  bool unpack(const Numbers &numbers);
};

/// The engines for a graph, the best first; they differ from device to device.
/// `version` is the library's: a gradient with the same bits in each run takes
/// memory quadratic in the sequence before 9.25.
std::vector<Engine> bestEngines(const Fused &fused, int device, size_t version);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_FUSED_H
