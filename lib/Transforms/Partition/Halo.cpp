//===- Halo.cpp - windowed operations over cut dims -----------------------===//
//
// An operation that reads positions gets the interval that its windows need and
// slides over that without a border of its own. One that makes positions (the
// transpose) makes the same interval, whose margins are terms of what other
// ranks own: they are sent there and added. Dims are extended one after
// another, so that corners come along.
//
//===----------------------------------------------------------------------===//

#include "Halo.h"
#include "ClassBuilder.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

static SlidDim slidDim(int64_t dim, const nn::Window &window,
                       const AxisList &axes, const Share &own,
                       const Share &made, int64_t members) {
  SlidDim slid{dim, window, axes, own, own, true};
  if (axes.empty() && window.border == nn::Border::Zero) {
    slid.isExtended = false;
    slid.low = window.low;
    slid.high = window.high;
    return slid;
  }
  SmallVector<int64_t> offsets, sizes;
  for (auto [offset, size] : llvm::zip(made.offset.valuesFor(members),
                                       made.size.valuesFor(members))) {
    nn::Interval held = window.reads({offset, size});
    offsets.push_back(held.offset);
    sizes.push_back(held.size);
  }
  // A whole dim is extended by all of its border.
  if (axes.empty()) {
    offsets = {-window.low};
    sizes = {window.low + window.extent + window.high};
  }
  MLIRContext *context = own.offset.getContext();
  slid.held = {spmd::TableAttr::simplified(context, axes, offsets),
               spmd::TableAttr::simplified(context, axes, sizes)};
  slid.isExtended =
      slid.held.offset != own.offset || slid.held.size != own.size;
  return slid;
}

SmallVector<SlidDim> partitioning::slidDims(nn::WindowedOp op, Shares &shares) {
  SmallVector<SlidDim> dims;
  nn::LayoutAttr positions = nn::layoutOf(op.getPositions().front());
  nn::LayoutAttr windowed = nn::layoutOf(op.getWindowed());
  auto lines = op->getAttrOfType<ArrayAttr>(nn::kHaloLines);
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!window)
      continue;
    AxisList axes = shares.axesOf(positions, dim, 0);
    int64_t members = 1;
    for (StringAttr axis : axes)
      members *= shares.getMesh().getSize(axis.getValue());
    dims.push_back(slidDim(dim, *window, axes, shares.of(positions, dim, 0),
                           shares.of(windowed, dim, 0), members));
    if (lines)
      dims.back().line = dyn_cast<LocationAttr>(lines[dim]);
  }
  return dims;
}

/// The tensor with another size of one dim of one factor.
static RankedTensorType withSize(Type type, int64_t dim, int64_t size) {
  nn::LayoutAttr layout = nn::layoutOf(type);
  SmallVector<nn::DimAttr> dims(layout.getDims());
  dims[dim] = nn::dimOf(type.getContext(),
                        dims[dim].getFactors().front().getName(), size);
  return nn::withLayout(cast<RankedTensorType>(type),
                        nn::LayoutAttr::get(type.getContext(), dims));
}

template <class OpTy>
Value ClassBuilder::moveMargins(Value x, int64_t dim, const SlidDim &slid,
                                const Share &wanted) {
  int64_t size = wanted.size.at(shares.getMesh(), rankClass.coordinates);
  Location made = slid.line ? FusedLoc::get(builder.getContext(),
                                            {loc, Location(slid.line)})
                            : loc;
  return OpTy::create(builder, made, withSize(x.getType(), dim, size), x,
                      listOf(slid.axes), dim,
                      /*factor=*/0, slid.own.offset, slid.own.size,
                      slid.held.offset, slid.held.size, slid.window.extent,
                      nn::stringifyBorder(slid.window.border), nextId++);
}

/// What windows read of an operand; the backward reads again what the forward
/// did.
Value ClassBuilder::extend(nn::WindowedOp op, Value operand,
                           ArrayRef<SlidDim> dims) {
  Value x = local(operand);
  for (const SlidDim &slid : dims) {
    if (!slid.isExtended)
      continue;
    int64_t dim = op.getPositionsDim(operand, slid.dim);
    SmallVector<Attribute> key = {slid.own.offset,
                                  slid.own.size,
                                  slid.held.offset,
                                  slid.held.size,
                                  builder.getI64IntegerAttr(dim),
                                  listOf(slid.axes)};
    Value &made = extended[{x, builder.getArrayAttr(key)}];
    if (!made)
      made = moveMargins<spmd::HaloExchangeOp>(x, dim, slid, slid.held);
    x = made;
  }
  return x;
}

LogicalResult ClassBuilder::lowerWindowed(nn::WindowedOp op) {
  SmallVector<SlidDim> dims = slidDims(op, shares);
  SmallVector<Value> positions = op.getPositions();
  auto slides = [&](Value value) {
    return llvm::is_contained(positions, value);
  };
  // Before the operation itself.
  llvm::DenseMap<Value, Value> extendedOperands;
  for (Value operand : op->getOperands())
    if (slides(operand))
      extendedOperands[operand] = extend(op, operand, dims);
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(nn::kHalos);
  copy->removeAttr(nn::kHaloLines);
  for (OpOperand &operand : copy->getOpOperands())
    if (Value value =
            extendedOperands.lookup(op->getOperand(operand.getOperandNumber())))
      operand.set(value);
  for (OpResult result : op->getResults()) {
    RankedTensorType type = local(result.getType());
    for (const SlidDim &slid : dims)
      if (slid.isExtended && slides(result))
        type = withSize(
            type, op.getPositionsDim(result, slid.dim),
            slid.held.size.at(shares.getMesh(), rankClass.coordinates));
    copy->getResult(result.getResultNumber()).setType(type);
  }
  SmallVector<int64_t> lows, highs;
  for (const SlidDim &slid : dims) {
    lows.push_back(slid.low);
    highs.push_back(slid.high);
  }
  cast<nn::WindowedOp>(copy).setPadding(lows, highs);
  for (OpResult result : op->getResults()) {
    Value made = copy->getResult(result.getResultNumber());
    for (const SlidDim &slid : llvm::reverse(dims))
      if (slid.isExtended && slides(result))
        made = moveMargins<spmd::HaloReduceOp>(
            made, op.getPositionsDim(result, slid.dim), slid, slid.own);
    mapping.map(result, made);
  }
  return adapt(*op, *copy);
}
