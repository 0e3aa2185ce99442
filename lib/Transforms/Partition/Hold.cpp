//===- Hold.cpp - what ranks hold of each value, in its type --------------===//

#include "Hold.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// The values of a table by member of `axes`; fails if other axes tell two of
/// one member apart.
static FailureOr<SmallVector<int64_t>>
byMember(spmd::TableAttr table, const AxisList &axes, nn::MeshAttr mesh) {
  int64_t members = 1;
  for (StringAttr axis : axes)
    members *= mesh.getSize(axis.getValue());
  if (table.isConstant() || table.getAxes() == ArrayRef<StringAttr>(axes))
    return table.valuesFor(members);
  SmallVector<std::optional<int64_t>> found(members);
  for (int64_t rank = 0, e = mesh.getRankCount(); rank < e; ++rank) {
    SmallVector<int64_t> at = spmd::coordinatesOf(mesh, rank);
    int64_t member = 0;
    for (StringAttr axis : axes)
      member = member * mesh.getSize(axis.getValue()) +
               at[mesh.getIndex(axis.getValue())];
    int64_t value = table.at(mesh, at);
    if (found[member].value_or(value) != value)
      return failure();
    found[member] = value;
  }
  return llvm::map_to_vector(found, [](auto value) { return *value; });
}

FailureOr<nn::LayoutAttr> partitioning::holding(nn::LayoutAttr layout,
                                                int64_t dim, int64_t factor,
                                                const Share &share,
                                                bool areTerms, Shares &shares) {
  nn::MeshAttr mesh = shares.getMesh();
  AxisList axes = shares.axesOf(layout, dim, factor);
  auto begins = byMember(share.offset, axes, mesh),
       sizes = byMember(share.size, axes, mesh);
  if (axes.empty() || share.runs || failed(begins) || failed(sizes))
    return failure();
  nn::LayoutAttr owning = layout.owning(dim, factor);
  SmallVector<int64_t> ends;
  bool isOwn = true;
  for (auto [begin, size, own] : llvm::zip_equal(
           *begins, *sizes, nn::heldParts(owning, dim, factor, mesh))) {
    ends.push_back(begin + size);
    isOwn &= begin == own.offset && size == own.size;
  }
  if (isOwn)
    return owning;
  return owning.holding(nn::HeldAttr::get(layout.getContext(), dim, factor,
                                          *begins, ends, areTerms));
}

LogicalResult partitioning::setHeld(Value value, int64_t dim, int64_t factor,
                                    const Share &share, bool areTerms,
                                    Shares &shares) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  auto held = holding(layout, dim, factor, share, areTerms, shares);
  if (failed(held))
    return emitError(value.getLoc())
           << "not supported yet: margins of dim " << dim << " of "
           << nn::describe(value.getType()) << " placed "
           << nn::describePlacement(layout) << "; leave out `layers`";
  value.setType(nn::withLayout(cast<RankedTensorType>(value.getType()), *held));
  return success();
}

/// Whether ranks hold of some value what they do not own.
static bool holdsMore(nn::FuncOp func) {
  return llvm::any_of(func.getBody().getOps(), [](Operation &op) {
    return llvm::any_of(op.getResultTypes(), [](Type type) {
      nn::LayoutAttr layout = nn::layoutOf(type);
      return layout && !layout.getHeld().empty();
    });
  });
}

LogicalResult partitioning::holdMargins(nn::FuncOp func, Shares &shares) {
  if (failed(holdLayers(func, shares)))
    return failure();
  return holdsMore(func) ? mlir::verify(func) : success();
}
