//===- Positions.h - which positions of the whole a rank has ---*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_POSITIONS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_POSITIONS_H

#include "Emit.h"

namespace hocket::partitioning {

/// Tells operations of spmd which part of the whole they see.
class Positions : public Emitter {
protected:
  using Emitter::Emitter;

  /// The rank's part of a dim of `tensor`, which may be in runs; an error at
  /// `local` if a minor factor is cut.
  mlir::FailureOr<spmd::PositionsAttr>
  positionsOf(mlir::Operation &local, mlir::Value tensor, int64_t dim);
  spmd::PositionsAttr positionsFrom(spmd::TableAttr begin, int64_t extent);
  mlir::LogicalResult refuseOffset(mlir::Operation &local, mlir::Value tensor,
                                   int64_t dim);
  /// Which elements of a tensor of `layout` draw random words in `op`.
  spmd::DrawsAttr drawsOf(mlir::Operation &op, nn::LayoutAttr layout,
                          int64_t key);

  static int64_t sizeOf(mlir::Value tensor, int64_t dim) {
    return nn::layoutOf(tensor).getDims()[dim].getSize();
  }
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_POSITIONS_H
