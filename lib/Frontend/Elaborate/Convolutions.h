//===- Convolutions.h - what a convolution module is told ------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_CONVOLUTIONS_H
#define HOCKET_FRONTEND_ELABORATE_CONVOLUTIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hocket::frontend {

/// Conv1d to Conv3d, and the transposed ones. One number, or one border, for
/// each of `spatial` dims.
struct Convolution {
  size_t spatial = 0;
  bool isTransposed = false;
  llvm::SmallVector<int64_t, 3> kernel, strides, dilations, lows, highs;
  /// Transposed: what the result has beyond the least that fits.
  llvm::SmallVector<int64_t, 3> extra;
  llvm::SmallVector<std::string, 3> borders;
  int64_t groups = 1;
};

/// The dims that the module of that name slides over; nothing if it is none.
std::optional<size_t> convolutionDims(llvm::StringRef name, bool &isTransposed);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_CONVOLUTIONS_H
