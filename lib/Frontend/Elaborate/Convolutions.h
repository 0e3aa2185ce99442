//===- Convolutions.h - what convolutions and poolings are told -*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_CONVOLUTIONS_H
#define HOCKET_FRONTEND_ELABORATE_CONVOLUTIONS_H

#include "dialects/Nn/Window.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hocket::frontend {

/// One number for each of `spatial` dims.
struct SlidingWindow {
  size_t spatial = 0;
  llvm::SmallVector<int64_t, 3> kernel, strides, dilations, lows, highs;
};

/// Conv1d to Conv3d, and the transposed ones.
struct Convolution : SlidingWindow {
  bool isTransposed = false;
  /// Transposed: what the result has beyond the least that fits.
  llvm::SmallVector<int64_t, 3> extra;
  llvm::SmallVector<nn::Border, 3> borders;
  int64_t groups = 1;
};

/// MaxPool1d to AvgPool3d, and the functions.
struct Pooling : SlidingWindow {
  bool isMax = false;
  bool roundsUp = false; ///< a last window may begin where it does not fit
  bool countsBorder = true;
  bool givesIndices = false; ///< of the largest, beside them
};

/// The dims that a pooling of that name, of a module or of a function, slides
/// over; nothing if it is none.
std::optional<size_t> poolingDims(llvm::StringRef name, bool &isMax);

/// The dims that the module of that name slides over; nothing if it is none.
std::optional<size_t> convolutionDims(llvm::StringRef name, bool &isTransposed);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_CONVOLUTIONS_H
