//===- Hold.cpp - what ranks hold of each value, in its type --------------===//
//
// What attention reads in margins may be computed there of what was exchanged
// before. What else reads such values gets the rank's own part, a view; what is
// added to gradients in margins is zero there.
//
//===----------------------------------------------------------------------===//

#include "Hold.h"
#include "WindowedDims.h"
#include "dialects/Nn/CarriedMargins.h"
#include "dialects/Nn/MicroBatch.h"
#include "dialects/Nn/Pinned.h"
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
           << nn::describePlacement(layout)
           << "; leave out `from`, or `layers`";
  value.setType(nn::withLayout(cast<RankedTensorType>(value.getType()), *held));
  return success();
}

namespace {
/// Has operations read what they compute with.
class Reads {
public:
  Reads(const nn::CarriedMargins &carried,
        const llvm::DenseMap<Operation *, Share> &exchanged, Shares &shares)
      : carried(carried), exchanged(exchanged), shares(shares) {}

  LogicalResult restate(Operation &op);

private:
  FailureOr<nn::LayoutAttr> wanted(OpOperand &operand);

  const nn::CarriedMargins &carried;
  const llvm::DenseMap<Operation *, Share> &exchanged; // by what reads it
  Shares &shares;
};
} // namespace

/// An attention reads keys and values with margins, and nothing else.
static bool isKeyOrValue(OpOperand &operand) {
  Operation *op = operand.getOwner();
  SmallVector<Value> positions = cast<nn::WindowedOp>(op).getPositions();
  nn::PlacementRule rule = cast<nn::PlacedOp>(op).getPlacementRule();
  return llvm::is_contained(positions, operand.get()) &&
         !hasWindows(rule.operands[operand.getOperandNumber()], rule);
}

/// The layout of what an operand is to be.
FailureOr<nn::LayoutAttr> Reads::wanted(OpOperand &operand) {
  Operation *op = operand.getOwner();
  nn::LayoutAttr layout = nn::layoutOf(operand.get());
  if (const nn::Carried *zeros = carried.findZeros(operand))
    return holding(layout, zeros->dim, zeros->factor,
                   exchanged.lookup(zeros->reader), /*areTerms=*/true, shares);
  const nn::Carried *how = carried.find(operand.get());
  if (!how)
    return layout;
  bool computes = carried.isInside(op) &&
                  (!op->hasAttr(nn::kHaloFrom) || isKeyOrValue(operand));
  return computes ? layout : layout.owning(how->dim, how->factor);
}

LogicalResult Reads::restate(Operation &op) {
  OpBuilder builder(&op);
  llvm::SmallDenseMap<std::pair<Value, Attribute>, Value> made;
  auto hold = [&](Value x, nn::LayoutAttr layout) -> Value {
    if (layout == nn::layoutOf(x))
      return x;
    Value &part = made[{x, layout}];
    if (part)
      return part;
    Type type = nn::withLayout(cast<RankedTensorType>(x.getType()), layout);
    auto held = nn::HoldOp::create(builder, op.getLoc(), type, x);
    for (StringRef mark : {nn::kMicroBatch, nn::kPinned})
      if (Attribute value = op.getAttr(mark))
        held->setAttr(mark, value);
    return part = held;
  };
  for (OpOperand &operand : op.getOpOperands()) {
    FailureOr<nn::LayoutAttr> layout = wanted(operand);
    if (failed(layout))
      return op.emitError() << "not supported yet: a gradient of what "
                               "attention reads in margins is added here; "
                               "leave out `from`";
    Value x = operand.get();
    if (const nn::Carried *zeros = carried.findZeros(operand)) // owned, once
      x = hold(x, nn::layoutOf(x).owning(zeros->dim, zeros->factor));
    operand.set(hold(x, *layout));
  }
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
  nn::CarriedMargins carried;
  if (failed(holdLayers(func, shares)) || failed(carried.follow(func)))
    return failure();
  // What the attentions read, before it is what they have.
  llvm::DenseMap<Operation *, Share> exchanged;
  for (const auto &[value, how] : carried.all())
    if (!exchanged.contains(how.reader))
      for (const WindowedDim &slid : windowedDims(how.reader, shares))
        exchanged[how.reader] = slid.held;
  for (const auto &[value, how] : carried.all())
    if (failed(setHeld(value, how.dim, how.factor, exchanged.lookup(how.reader),
                       how.isTerm, shares)))
      return failure();
  Reads reads(carried, exchanged, shares);
  for (Operation &op : func.getBody().front())
    if (failed(reads.restate(op)))
      return failure();
  return holdsMore(func) ? mlir::verify(func) : success();
}
