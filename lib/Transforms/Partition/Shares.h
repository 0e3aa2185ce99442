//===- Shares.h - which part of a factor each coordinate holds -*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_SHARES_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_SHARES_H

#include "dialects/Nn/Func.h"
#include "dialects/Spmd/Spmd.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace hocket::partitioning {

/// Mesh axes, major first.
using AxisList = llvm::SmallVector<mlir::StringAttr, 2>;

/// [offset, offset + size) by coordinate, of the list of elements in the order
/// of `runs`; without any, of the elements themselves. Of what is held, `rows`
/// are by member the elements, where these are no interval: it is one of as
/// many then, in which what is owned lies as in the list.
struct Share {
  spmd::TableAttr offset, size;
  spmd::RunsAttr runs = {};
  mlir::ArrayAttr rows = {};
};

/// Where the rank's part of a dim is, in elements of the dim.
struct Place {
  spmd::TableAttr offset;
  spmd::RunsAttr runs = {};
};

/// Tables of shares over one mesh. Axes of size 1 cut nothing and never occur
/// in a result. Each distinct table is computed once.
class Shares {
public:
  explicit Shares(nn::MeshAttr mesh) : mesh(mesh) {}

  nn::MeshAttr getMesh() const { return mesh; }

  /// `axes` without those of size 1.
  AxisList live(llvm::ArrayRef<mlir::StringAttr> axes) const;
  /// The same, in the order of the mesh.
  AxisList inMeshOrder(llvm::ArrayRef<mlir::StringAttr> axes) const;
  /// The axes that cut a factor, major first.
  AxisList axesOf(nn::LayoutAttr layout, int64_t dim, int64_t factor) const;
  /// The axes that cut any factor of a dim.
  AxisList axesOf(nn::LayoutAttr layout, int64_t dim) const;

  /// What each coordinate owns of a factor under its splits.
  Share of(nn::LayoutAttr layout, int64_t dim, int64_t factor);
  /// What it holds, which is that unless the layout says something else.
  Share held(nn::LayoutAttr layout, int64_t dim, int64_t factor = 0);
  /// What each coordinate on the `inner` minor axes of a factor holds of what
  /// the axes before those leave at `coordinates`.
  Share inside(nn::LayoutAttr layout, int64_t dim, int64_t factor, size_t inner,
               llvm::ArrayRef<int64_t> coordinates);
  /// The splits of a factor that cut, major first: the axis of size 1 is left
  /// out.
  llvm::SmallVector<nn::SplitAttr> splitsOf(nn::LayoutAttr layout, int64_t dim,
                                            int64_t factor) const;

  /// Of what is held. Fails if some factor but the major one is cut.
  mlir::FailureOr<Place> placeOf(nn::LayoutAttr layout, int64_t dim);
  /// Where the part begins; fails as well if it is not one interval.
  mlir::FailureOr<spmd::TableAttr> offsetOf(nn::LayoutAttr layout, int64_t dim);

  /// Which part of the global tensor ranks own.
  spmd::BoxAttr boxOf(nn::LayoutAttr layout);
  /// The row-major number of the box's first element in the global tensor;
  /// factors that are cut in runs count from 0.
  spmd::TableAttr firstElement(spmd::BoxAttr box);

private:
  spmd::TableAttr findFirstElement(spmd::BoxAttr box) const;
  /// The same of what is held, where the axes before those leave part number
  /// `outer`.
  Share heldInside(llvm::ArrayRef<nn::Interval> held,
                   llvm::ArrayRef<int64_t> parts,
                   llvm::ArrayRef<nn::SplitAttr> inner, int64_t outer) const;

  nn::MeshAttr mesh;
  llvm::DenseMap<spmd::BoxAttr, spmd::TableAttr> knownFirst;
  /// By the extent and the splits that cut it.
  llvm::DenseMap<std::pair<int64_t, mlir::Attribute>, Share> known;
  using Inside = std::tuple<int64_t, const void *, size_t, int64_t>;
  std::map<Inside, Share> knownInside;
};

/// The runs of a factor, each element of which is `scale` elements.
spmd::RunsAttr scaled(spmd::RunsAttr runs, int64_t scale);

/// scale * table + constant.
spmd::TableAttr scaled(spmd::TableAttr table, int64_t scale, int64_t constant);

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_SHARES_H
