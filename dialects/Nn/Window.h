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
#include "hocket/Plan/Halo.h"
#include "hocket/Plan/Neighborhood.h"
#include <optional>

namespace hocket::nn {

using plan::Border;
using plan::Neighborhood;

std::optional<Border> borderNamed(llvm::StringRef name);
llvm::StringRef stringifyBorder(Border border);
/// Zeros beyond the ends of `dims` dims.
BordersAttr zeroBorders(mlir::MLIRContext *context, size_t dims);

/// Result e reads the one position `indices[e]`: e is an edge, positions are
/// nodes. It is made where `owners[e]` is, one of `ownerExtent` nodes that are
/// cut as the positions are. Owners do not fall. The lists are of attributes.
struct Lookup {
  llvm::ArrayRef<int64_t> indices, owners;
  int64_t ownerExtent = 0;
};

struct Window {
  int64_t extent = 0; ///< of the operand's dim
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t low = 0, high = 0; ///< border before and after
  Border border = Border::Zero;
  /// Windows end where the data ends (those of attention): no border is read.
  bool isTruncated = false;
  /// Windows are those of neighborhood attention, one for each position: none
  /// reads a border.
  std::optional<Neighborhood> neighborhood = {};
  /// Windows are of one position each, and parts of results begin at their
  /// exact bounds, or evenly, wherever those of positions do.
  bool settles = false;
  /// Windows are of one position each, which a list names; none is a border.
  std::optional<Lookup> lookup = {};

  static Window of(const Neighborhood &neighborhood);
  /// Positions from the first to the last that one result reads: d (k - 1) + 1.
  int64_t span() const { return dilation * (kernel - 1) + 1; }
  /// floor((extent + low + high - span) / stride) + 1; 0 if none fits. As many
  /// as positions in a neighborhood, as indices in a lookup.
  int64_t results() const;
  /// The least interval of positions that these results read: result o reads
  /// o * stride - low + dilation * t for t in [0, kernel). Of none nothing, at
  /// the place where it would begin.
  Interval reads(Interval results) const;
  /// The place of the data that a position shows, or -1: a zero.
  int64_t dataAt(int64_t position) const {
    return plan::placeOf(border, position, extent);
  }
  /// Whether a part of the results may read beyond the part of the positions
  /// that goes with it.
  bool mayReach() const {
    return lookup ? lookup->indices != lookup->owners : span() > stride;
  }
  /// The least interval of the data, which a layer before has to make, that is
  /// shown at these positions, with the end at which a border mirrors it. None
  /// has no place except their own.
  Interval dataOf(Interval positions) const;
  /// True if the border has something to put in all of low and high.
  bool isBorderValid() const {
    return isTruncated || plan::reaches(border, -low, extent + high, extent);
  }
  bool operator==(const Window &other) const;
};

/// The windows of each part of the positions: those of a lookup go with their
/// owners; of others even parts make even ones, and a stated bound is divided
/// by the stride, and moved by as many as fall away or come in at the low end.
/// Any other cut would do as well, at the cost of longer reaches; by this one
/// every way back leads to the same parts (docs/domain.md).
Parts windowParts(const Window &window, llvm::ArrayRef<SplitAttr> positions,
                  MeshAttr mesh);
/// Parts of the positions that go with these parts of the windows. Of a lookup
/// several may: even ones, if they do, else those that begin behind the last
/// owner of the part before.
Parts positionParts(const Window &window, llvm::ArrayRef<SplitAttr> windows,
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
