//===- Hold.h - what ranks hold of each value, in its type -----*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_HOLD_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_HOLD_H

#include "Shares.h"

namespace hocket::partitioning {

/// Types then say what ranks hold of the layers of one exchange beside what
/// they own (nn::kHaloLayers).
mlir::LogicalResult holdMargins(nn::FuncOp func, Shares &shares);

/// The same, without verifying it.
mlir::LogicalResult holdLayers(nn::FuncOp func, Shares &shares);

/// The layout, of a factor of which members hold this, or it fails: where no
/// axis cuts the factor, or the share is not one of those that do.
mlir::FailureOr<nn::LayoutAttr> holding(nn::LayoutAttr layout, int64_t dim,
                                        int64_t factor, const Share &share,
                                        bool areTerms, Shares &shares);

/// The same of a value's type; reports where that fails.
mlir::LogicalResult setHeld(mlir::Value value, int64_t dim, int64_t factor,
                            const Share &share, bool areTerms, Shares &shares);

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_HOLD_H
