//===- Window.h - which positions a windowed operation reads ---*- C++ -*-===//
//
// Along one dim a convolution, pooling or windowed attention reads for each of
// its results some positions of its operand. Everything about halos follows
// from that map; nothing else knows of kernels, strides or borders.
//
// Positions are counted in extended coordinates: 0 to extent - 1 are data,
// those before and after are the border, which is filled by its rule.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_WINDOW_H
#define HOCKET_NN_WINDOW_H

#include "dialects/Nn/Layout.h"
#include <optional>

namespace hocket::nn {

/// What lies beyond the ends of a dim: zeros; the data mirrored, without the
/// last element twice (PyTorch's reflect); the last element; the other end; or
/// nothing: windows end there (those of attention).
enum class Border { Zero, Reflect, Replicate, Circular, Truncate };

/// zero, reflect, replicate or circular.
std::optional<Border> borderNamed(llvm::StringRef name);
llvm::StringRef stringifyBorder(Border border);

struct Window {
  int64_t extent = 0; ///< of the operand's dim
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t low = 0, high = 0; ///< border before and after
  Border border = Border::Zero;

  /// Positions from the first to the last that one result reads: d (k - 1) + 1.
  int64_t span() const { return dilation * (kernel - 1) + 1; }
  /// floor((extent + low + high - span) / stride) + 1; 0 if none fits.
  int64_t results() const;
  /// The least interval of positions that these results read: result o reads
  /// o * stride - low + dilation * t for t in [0, kernel). Of none nothing, at
  /// the place where it would begin.
  Interval reads(Interval results) const;
  /// The data that a position shows, if it is not zero.
  std::optional<int64_t> dataAt(int64_t position) const;
  /// True if the border rule has data for all of low and high.
  bool isBorderValid() const;
  bool operator==(const Window &other) const;
};

/// The windows of each part of the positions: a window goes with the position
/// in its middle, or the nearest end. Even parts of positions go with even
/// parts of windows; any other cut would do as well, at the cost of longer
/// reaches.
llvm::SmallVector<int64_t> windowParts(const Window &window,
                                       llvm::ArrayRef<SplitAttr> positions,
                                       MeshAttr mesh);
/// Parts of the positions that go with these parts of the windows.
llvm::SmallVector<int64_t> positionParts(const Window &window,
                                         llvm::ArrayRef<SplitAttr> windows,
                                         MeshAttr mesh);

/// How far each part of a cut, given as sizes of parts, must see beyond itself:
/// the positions that part i of `results` reads, before and after part i of
/// `positions`. Negative where it does not read all of its own. Of a part
/// without results nothing.
struct Reach {
  int64_t before = 0, after = 0;
};
llvm::SmallVector<Reach> reachesOf(const Window &window,
                                   llvm::ArrayRef<int64_t> positions,
                                   llvm::ArrayRef<int64_t> results);

} // namespace hocket::nn

#endif // HOCKET_NN_WINDOW_H
