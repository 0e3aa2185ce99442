//===- Layout.h - reading and building tensor layouts ----------*- C++ -*-===//
//
// Convenience over #nn.layout: the layout of a tensor type, local shapes, and
// how an extent is cut.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_LAYOUT_H
#define HOCKET_NN_LAYOUT_H

#include "hocket/Plan/Halo.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/Value.h"

#include "dialects/Nn/NnEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Nn/NnAttrs.h.inc"

namespace hocket::nn {

/// [offset, offset + size) of an extent.
struct Interval {
  int64_t offset, size;
};

/// Part `index` of `extent` cut in `parts`, even with remainder: the first
/// extent % parts parts have one more. 12 in 5: 3 3 2 2 2.
Interval cut(int64_t extent, int64_t parts, int64_t index);

/// Each of these parts cut in `count`, even with remainder.
llvm::SmallVector<int64_t> evenSizes(llvm::ArrayRef<int64_t> parts,
                                     int64_t count);

/// Which elements a part has (dialects/Nn/Ordered.h).
struct Ordering {
  Order kind = Order::Contiguous;
  int64_t block = 1; ///< of stripes

  bool isOrdered() const { return kind != Order::Contiguous; }
  bool operator==(const Ordering &other) const {
    return kind == other.kind && block == other.block;
  }
  bool operator!=(const Ordering &other) const { return !(*this == other); }
  /// "zigzag", "striped 64", and nothing of intervals.
  std::string text() const;
};
Ordering orderOf(SplitAttr split);

/// Where the bounds between stated parts are exactly: places[i] / denominator,
/// in lowest terms, for each but the last part. Parts of an even cut have none,
/// nor have parts in an order.
struct Bounds {
  llvm::SmallVector<int64_t> places;
  int64_t denominator = 1;
  Ordering order = {};

  bool empty() const { return places.empty(); }
  bool operator==(const Bounds &other) const {
    return places == other.places && denominator == other.denominator &&
           order == other.order;
  }
  /// Where parts of these sizes begin.
  static Bounds of(llvm::ArrayRef<int64_t> sizes);
  /// At `up / down` of their places, moved by `shift`. An order stays if it
  /// can: blocks that no longer have whole elements are blocks of 0.
  Bounds moved(int64_t up, int64_t down, int64_t shift = 0) const;
};

/// Parts of an extent, and where their bounds are exactly if they are stated.
struct Parts {
  llvm::SmallVector<int64_t> sizes;
  Bounds bounds;

  /// Bounds at `up / down` of their places, moved by `shift`, each rounded up
  /// to a place of [0, extent].
  Parts moved(int64_t up, int64_t down, int64_t shift, int64_t extent) const;
};

/// The split that makes parts of these sizes of the parts that the axes before
/// it make ({extent} if there are none), stated if it has bounds: sizes that
/// are even are left out.
SplitAttr splitOf(mlir::StringAttr axis, int64_t dim, int64_t factor,
                  llvm::ArrayRef<int64_t> parts, llvm::ArrayRef<int64_t> sizes,
                  const Bounds &bounds = {});

/// What a split says of its bounds.
Bounds boundsOf(SplitAttr split);

/// The parts that splits of one factor make of it, row-major, each split
/// cutting the parts of those before it; their sizes.
Parts boundedParts(int64_t extent, llvm::ArrayRef<SplitAttr> splits,
                   MeshAttr mesh);
llvm::SmallVector<int64_t>
partSizes(int64_t extent, llvm::ArrayRef<SplitAttr> splits, MeshAttr mesh);

/// The layout of a tensor type; every nn tensor has one. Null for other types.
LayoutAttr layoutOf(mlir::Type type);
LayoutAttr layoutOf(mlir::Value value);

/// The type with another layout (its shape follows the layout's sizes).
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  LayoutAttr layout);
mlir::RankedTensorType tensorOf(mlir::Type element, LayoutAttr layout);

/// A layout of anonymous or named single-factor dims.
LayoutAttr plainLayout(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> shape);
DimAttr dimOf(mlir::MLIRContext *context, llvm::StringRef name, int64_t size);

/// What `rank coordinates` own of one factor under its nested splits.
/// `coordinates` gives the coordinate on each mesh axis, in mesh order.
Interval shardOf(LayoutAttr layout, int64_t dim, int64_t factor, MeshAttr mesh,
                 llvm::ArrayRef<int64_t> coordinates);

/// What each member of the axes that cut a factor holds of it, row-major: what
/// its layout says, or what it owns. Of rows an interval of as many, in which
/// what it owns lies as in their list.
llvm::SmallVector<Interval> heldParts(LayoutAttr layout, int64_t dim,
                                      int64_t factor, MeshAttr mesh);

/// The layout of the local tensor: sizes of what is held, no placement.
LayoutAttr localLayout(LayoutAttr layout, MeshAttr mesh,
                       llvm::ArrayRef<int64_t> coordinates);

/// "f32[4, 96, (heads 12, head_dim 32)]" for messages.
std::string describe(mlir::Type type);
/// ", sizes 3 5" where the parts are not even, else nothing.
std::string sizesText(SplitAttr split);
/// "S(heads) over tp, P(sum) over dp" or "R" for messages.
std::string describePlacement(LayoutAttr layout);

} // namespace hocket::nn

#endif // HOCKET_NN_LAYOUT_H
