//===- Cuts.h - how a directive says to cut --------------------*- C++ -*-===//
//
// What `weights` and `aligned` of a directive mean, and the text of its `cuts`.
// Even parts are of nn (dialects/Nn/Layout.h).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLACEMENT_CUTS_H
#define HOCKET_LIB_PLACEMENT_CUTS_H

#include "dialects/Nn/Nn.h"

namespace hocket::placement {

/// Whose parts are made, for errors.
struct CutPlace {
  mlir::Operation *directive;
  llvm::StringRef path;
  std::string factor;
};

/// "(dp, tp) weights (1, 2, 1, 1)", "(r aligned 2, u)": what is said of one
/// axis alone stands behind it.
std::string overText(llvm::ArrayRef<std::string> axes,
                     mlir::ArrayAttr cuts = {});
std::string overText(llvm::ArrayRef<unsigned> axes, mlir::ArrayAttr cuts,
                     nn::MeshAttr mesh);

/// Parts in proportion to the weights, one of which is positive: by largest
/// remainder, ties to the first.
llvm::SmallVector<int64_t> weightedSizes(int64_t extent,
                                         llvm::ArrayRef<int64_t> weights);

/// Parts that begin at multiples of `unit`: whole units even with remainder,
/// and the last part has what is left.
llvm::SmallVector<int64_t> alignedSizes(int64_t extent, int64_t unit,
                                        int64_t count);

} // namespace hocket::placement

#endif // HOCKET_LIB_PLACEMENT_CUTS_H
