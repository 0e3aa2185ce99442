//===- Windows.cpp - windowed operations over cut dims --------------------===//
//
// An operation that reads positions gets the interval that its windows need and
// slides over that without a border of its own. One that makes positions (the
// transpose) makes the same interval, whose margins are terms of what other
// ranks own: they are sent there and added. Dims are extended one after
// another, so that corners come along.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

Windows::ExtensionWay Windows::wayOf(Value x, const WindowedDim &slid,
                                     int64_t dim) {
  SmallVector<Attribute> key = {
      slid.own.offset,
      slid.own.size,
      slid.held.offset,
      slid.held.size,
      builder.getI64IntegerAttr(dim),
      builder.getI64IntegerAttr(int64_t(slid.window.border)),
      builder.getStringAttr(slid.strategy),
      listOf(slid.axes)};
  if (slid.held.rows)
    key.push_back(slid.held.rows);
  return {x, builder.getArrayAttr(key)};
}

/// Moves at once the margins of what has none of these yet.
void Windows::attach(MutableArrayRef<Margins> list, const WindowedDim &slid) {
  SmallVector<Margins> missing;
  SmallVector<Value *> places;
  SmallVector<ExtensionWay> ways; // to look it up again
  for (Margins &own : list) {
    ExtensionWay way = wayOf(own.value, slid, own.dim);
    if (Value made = extended.lookup(way)) {
      own.value = made;
      continue;
    }
    missing.push_back(own);
    places.push_back(&own.value);
    ways.push_back(way);
  }
  margins.moveMargins(missing, slid, /*attaches=*/true);
  for (auto [made, place, way] : llvm::zip(missing, places, ways))
    extended[way] = *place = made.value;
}

/// What windows read of the operands; the backward reads again what the forward
/// did.
llvm::DenseMap<Value, Value> Windows::extend(nn::WindowedOp op,
                                             ArrayRef<WindowedDim> dims) {
  llvm::DenseMap<Value, Value> held;
  SmallVector<Value> operands;
  SmallVector<Value> positions = op.getPositions();
  for (Value operand : op->getOperands())
    if (llvm::is_contained(positions, operand) &&
        held.try_emplace(operand, local(operand)).second)
      operands.push_back(operand);
  for (const WindowedDim &slid : dims) {
    if (!slid.isExtended)
      continue;
    SmallVector<Margins> list;
    for (Value operand : operands)
      list.push_back({held[operand], op.getPositionsDim(operand, slid.dim)});
    attach(list, slid);
    for (auto [operand, made] : llvm::zip(operands, list))
      held[operand] = made.value;
  }
  return held;
}

/// What has one position in a window is what it is given, or gives it back.
void Windows::lowerMove(nn::WindowedOp op, ArrayRef<WindowedDim> dims) {
  Value operand = op->getOperand(0), made;
  if (op.getPositions().front() == operand) {
    made = extend(op, dims).lookup(operand);
  } else {
    Margins own{local(operand), 0};
    for (const WindowedDim &slid : llvm::reverse(dims)) {
      own.dim = slid.dim;
      if (slid.isExtended)
        margins.moveMargins(own, slid, /*attaches=*/false);
    }
    made = own.value;
  }
  Value result = op->getResult(0);
  mapping.map(result, margins.withFactorsOf(made, localOf(result)));
}

/// How many zeros the operation itself adds before and behind each dim.
Windows::Paddings Windows::paddingsOf(ArrayRef<WindowedDim> dims) const {
  Paddings paddings;
  for (const WindowedDim &slid : dims) {
    int64_t low = slid.low, high = slid.high;
    if (int64_t size = here(slid.held.size);
        slid.isInner && !slid.isExtended && size > 0) {
      // Windows may lie in the border as a whole.
      low = std::clamp<int64_t>(here(slid.own.offset) - here(slid.held.offset),
                                0, size);
      high = size - low - here(slid.own.size);
    }
    paddings.first.push_back(low);
    paddings.second.push_back(high);
  }
  return paddings;
}

/// The line of the schedule stands last in its location.
WindowedDim Windows::movedBy(nn::ExchangeOp op) {
  WindowedDim slid = exchangedDim(op, shares);
  if (auto lines = dyn_cast<FusedLoc>(op.getLoc()))
    slid.line = LocationAttr(lines.getLocations().back());
  return slid;
}

void Windows::lower(nn::ExchangeOp op) {
  if (isMovedBeside(op))
    return;
  WindowedDim slid = movedBy(op);
  if (auto lines = dyn_cast<FusedLoc>(loc))
    loc = FusedLoc::get(op.getContext(), lines.getLocations().drop_back());
  SmallVector<Margins> moved;
  for (Value x : op.getXs())
    moved.push_back({local(x), slid.dim});
  if (op.getBack())
    margins.moveMargins(moved, slid, /*attaches=*/false);
  else
    attach(moved, slid);
  for (auto [result, own] : llvm::zip(op.getMade(), moved))
    mapping.map(result, margins.withFactorsOf(own.value, localOf(result)));
}

LogicalResult Windows::lower(nn::WindowedOp op) {
  WindowedDims dims = windowedDims(op, shares);
  if (!op.addsZeros()) {
    lowerMove(op, dims);
    return success();
  }
  SmallVector<Value> positions = op.getPositions();
  auto slides = [&](Value value) {
    return llvm::is_contained(positions, value);
  };
  FailureOr<bool> isOverlapped = lowerOverlapped(op);
  if (failed(isOverlapped) || *isOverlapped)
    return success(succeeded(isOverlapped));
  llvm::DenseMap<Value, Value> held = extend(op, dims);
  // By number: one value may be queries, which need no margins, and keys.
  nn::PlacementRule rule =
      cast<nn::PlacedOp>(op.getOperation()).getPlacementRule();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get(), read = local(value);
    bool isQueries =
        hasWindows(rule.operands[operand.getOperandNumber()], rule);
    if (held.contains(value) && !isQueries)
      read = held.lookup(value);
    operands.push_back(read);
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(operands);
  for (OpResult result : op->getResults()) {
    RankedTensorType type = localOf(result);
    for (const WindowedDim &slid : dims)
      if (slid.isExtended && slides(result))
        type = withSize(
            type, op.getPositionsDim(result, slid.dim),
            slid.held.size.at(shares.getMesh(), rankClass.coordinates));
    copy->getResult(result.getResultNumber()).setType(type);
  }
  auto [lows, highs] = paddingsOf(dims);
  cast<nn::WindowedOp>(copy).setPadding(lows, highs);
  FailureOr<Operation *> adapted = operations.adapt(*op, *copy);
  if (failed(adapted))
    return failure();
  mapping.map(op->getResults(), (*adapted)->getResults());
  for (const WindowedDim &slid : llvm::reverse(dims)) {
    SmallVector<Margins> sent;
    SmallVector<OpResult> results;
    for (OpResult result : op->getResults())
      if (slid.isExtended && slides(result)) {
        sent.push_back({local(result), op.getPositionsDim(result, slid.dim)});
        results.push_back(result);
      }
    margins.moveMargins(sent, slid, /*attaches=*/false);
    for (auto [result, own] : llvm::zip(results, sent))
      mapping.map(result, own.value);
  }
  for (OpResult result : op->getResults())
    if (slides(result)) // a dim of several factors went as one
      mapping.map(result,
                  margins.withFactorsOf(local(result), localOf(result)));
  return success();
}
