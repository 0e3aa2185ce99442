//===- Statistics.h - reductions over dims that may be split ---*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_STATISTICS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_STATISTICS_H

#include "Operations.h"
#include "dialects/Nn/Norms.h"

namespace hocket::partitioning {

/// Norms, softmax and means, whose statistics may need all ranks.
class Statistics : public Emitter {
public:
  Statistics(LocalProgram &program, Operations &operations)
      : Emitter(program), operations(operations) {}

  /// nn.layer_norm and nn.rms_norm.
  mlir::LogicalResult lowerNorm(mlir::Operation &op);
  mlir::LogicalResult lowerNormalize(nn::NormalizeOp op);
  mlir::LogicalResult lowerSoftmax(nn::SoftmaxOp op);
  mlir::LogicalResult lowerLogSumExp(nn::LogSumExpOp op);
  mlir::LogicalResult lowerMean(nn::ReduceOp op);

private:
  void mapInto(mlir::Value placed, mlir::Value value);
  mlir::Value withoutDims(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// Whether the op reduces over a dim of x that the mesh splits; an error if
  /// it does so without a licence.
  mlir::FailureOr<bool> needsStatistics(mlir::Operation &op, mlir::Value x,
                                        int64_t dim);

  Operations &operations;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_STATISTICS_H
