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
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

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

/// Values of one element type go together.
template <class OpTy>
void ClassBuilder::moveMargins(MutableArrayRef<Margins> list,
                               const SlidDim &slid, const Share &wanted) {
  int64_t size = wanted.size.at(shares.getMesh(), rankClass.coordinates);
  Location at = slid.line ? FusedLoc::get(builder.getContext(),
                                          {loc, Location(slid.line)})
                          : loc;
  llvm::MapVector<Type, SmallVector<Margins *>> groups;
  for (Margins &margins : list)
    groups[getElementTypeOrSelf(margins.value)].push_back(&margins);
  for (auto &[element, group] : groups) {
    SmallVector<Value> xs;
    SmallVector<Type> types;
    SmallVector<int64_t> dims, factors(group.size(), 0);
    for (Margins *margins : group) {
      xs.push_back(margins->value);
      types.push_back(withSize(margins->value.getType(), margins->dim, size));
      dims.push_back(margins->dim);
    }
    auto moved = OpTy::create(
        builder, at, types, xs, listOf(slid.axes), dims, factors,
        slid.own.offset, slid.own.size, slid.held.offset, slid.held.size,
        slid.window.extent, nn::stringifyBorder(slid.window.border), nextId++);
    for (auto [margins, result] : llvm::zip(group, moved.getResults()))
      margins->value = result;
  }
}

/// What windows read of the operands; the backward reads again what the forward
/// did.
llvm::DenseMap<Value, Value> ClassBuilder::extend(nn::WindowedOp op,
                                                  ArrayRef<SlidDim> dims) {
  llvm::DenseMap<Value, Value> held;
  SmallVector<Value> operands;
  SmallVector<Value> positions = op.getPositions();
  for (Value operand : op->getOperands())
    if (llvm::is_contained(positions, operand) &&
        held.try_emplace(operand, local(operand)).second)
      operands.push_back(operand);
  for (const SlidDim &slid : dims) {
    if (!slid.isExtended)
      continue;
    SmallVector<Margins> missing;
    SmallVector<Value *> places;
    SmallVector<std::pair<Value, Attribute>> ways; // to look it up again
    for (Value operand : operands) {
      int64_t dim = op.getPositionsDim(operand, slid.dim);
      SmallVector<Attribute> key = {slid.own.offset,
                                    slid.own.size,
                                    slid.held.offset,
                                    slid.held.size,
                                    builder.getI64IntegerAttr(dim),
                                    listOf(slid.axes)};
      Value &x = held[operand];
      std::pair<Value, Attribute> way(x, builder.getArrayAttr(key));
      if (Value made = extended.lookup(way)) {
        x = made;
        continue;
      }
      missing.push_back({x, dim});
      places.push_back(&x);
      ways.push_back(way);
    }
    moveMargins<spmd::HaloExchangeOp>(missing, slid, slid.held);
    for (auto [margins, place, way] : llvm::zip(missing, places, ways))
      extended[way] = *place = margins.value;
  }
  return held;
}

LogicalResult ClassBuilder::lowerWindowed(nn::WindowedOp op) {
  SmallVector<SlidDim> dims = slidDims(op, shares);
  SmallVector<Value> positions = op.getPositions();
  auto slides = [&](Value value) {
    return llvm::is_contained(positions, value);
  };
  llvm::DenseMap<Value, Value> held = extend(op, dims);
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(nn::kHalos);
  copy->removeAttr(nn::kHaloLines);
  for (OpOperand &operand : copy->getOpOperands())
    if (Value value = held.lookup(op->getOperand(operand.getOperandNumber())))
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
  mapping.map(op->getResults(), copy->getResults());
  for (const SlidDim &slid : llvm::reverse(dims)) {
    SmallVector<Margins> sent;
    SmallVector<OpResult> results;
    for (OpResult result : op->getResults())
      if (slid.isExtended && slides(result)) {
        sent.push_back({local(result), op.getPositionsDim(result, slid.dim)});
        results.push_back(result);
      }
    moveMargins<spmd::HaloReduceOp>(sent, slid, slid.own);
    for (auto [result, margins] : llvm::zip(results, sent))
      mapping.map(result, margins.value);
  }
  return adapt(*op, *copy);
}
