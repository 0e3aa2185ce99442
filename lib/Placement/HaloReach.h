//===- HaloReach.h - how far windows read, and what that moves -*- C++ -*-===//

#ifndef HOCKET_LIB_PLACEMENT_HALOREACH_H
#define HOCKET_LIB_PLACEMENT_HALOREACH_H

#include "dialects/Nn/Nn.h"
#include "hocket/Placement/Meet.h"

namespace hocket::placement {

/// The number of the dim that a factor of a rule stands in; -1 if in none.
int64_t dimOf(const nn::PlacementRule &rule, int factor);

/// A dim that is split, and the windows over it, by part.
struct SlidDim {
  nn::Window window;
  llvm::SmallVector<nn::SplitAttr> splits; ///< of the positions
  llvm::SmallVector<int64_t> positions, windows;

  bool readsOthers() const;
};
/// Dim `number` of a placed operation, if it is one.
std::optional<SlidDim> slidDim(nn::WindowedOp op, size_t number,
                               nn::MeshAttr mesh);

/// Bytes that the rank receives that receives most.
int64_t haloBytes(nn::WindowedOp op, const nn::PlacementRule &rule,
                  const Mismatch &mismatch, nn::MeshAttr mesh);

/// The same for the windows of `op` over the axis, by a factor of its rule.
int64_t receivedForHalo(mlir::Operation *op, const nn::PlacementRule &rule,
                        unsigned axis, int factor, nn::MeshAttr mesh);

/// "its windows of 3 read up to 1 before and 1 after a rank's part"
std::string haloReason(mlir::Operation *op, const nn::PlacementRule &rule,
                       const Mismatch &mismatch, nn::MeshAttr mesh);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_HALOREACH_H
