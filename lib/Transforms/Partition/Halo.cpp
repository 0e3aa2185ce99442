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
#include "dialects/Nn/HaloLayers.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

ClassBuilder::ExtensionWay ClassBuilder::wayOf(Value x, const SlidDim &slid,
                                               int64_t dim) {
  SmallVector<Attribute> key = {
      slid.own.offset,
      slid.own.size,
      slid.held.offset,
      slid.held.size,
      builder.getI64IntegerAttr(dim),
      builder.getI64IntegerAttr(int64_t(slid.window.border)),
      builder.getStringAttr(slid.strategy),
      builder.getBoolAttr(slid.overlaps),
      listOf(slid.axes)};
  if (slid.rows)
    key.push_back(slid.rows);
  return {x, builder.getArrayAttr(key)};
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
  for (const SlidDim &slid : inOrder(dims)) {
    if (!slid.isExtended)
      continue;
    SmallVector<Margins> missing;
    SmallVector<Value *> places;
    SmallVector<ExtensionWay> ways; // to look it up again
    for (Value operand : operands) {
      int64_t dim = op.getPositionsDim(operand, slid.dim);
      Value &x = held[operand];
      ExtensionWay way = wayOf(x, slid, dim);
      if (Value made = extended.lookup(way)) {
        x = made;
        continue;
      }
      missing.push_back({x, dim});
      places.push_back(&x);
      ways.push_back(way);
    }
    moveMargins(missing, slid, /*attaches=*/true);
    for (auto [margins, place, way] : llvm::zip(missing, places, ways))
      extended[way] = *place = margins.value;
  }
  return held;
}

/// The tensor, whose dims may be of other factors than those of `type`.
Value ClassBuilder::withFactorsOf(Value x, RankedTensorType type) {
  nn::LayoutAttr from = nn::layoutOf(x), to = nn::layoutOf(type);
  SmallVector<nn::DimAttr> dims;
  SmallVector<Attribute> order;
  int64_t number = 0;
  bool isSame = true;
  for (auto [has, wants] : llvm::zip_equal(from.getDims(), to.getDims())) {
    isSame &= llvm::equal(has.getFactors(), wants.getFactors(),
                          [](nn::FactorAttr a, nn::FactorAttr b) {
                            return a.getSize() == b.getSize();
                          });
    auto factors = nn::refineFactors(has.getFactors(), wants.getFactors());
    if (failed(factors)) // the finer ones are those of both
      factors = SmallVector<nn::FactorAttr>(has.getFactors());
    dims.push_back(nn::DimAttr::get(builder.getContext(), *factors));
    auto numbers = llvm::to_vector(
        llvm::seq<int64_t>(number, number + int64_t(factors->size())));
    number += numbers.size();
    order.push_back(builder.getI64ArrayAttr(numbers));
  }
  if (isSame)
    return x;
  return nn::RearrangeOp::create(
      builder, loc, type, x, nn::LayoutAttr::get(builder.getContext(), dims),
      builder.getArrayAttr(order));
}

/// What has one position in a window is what it is given, or gives it back.
void ClassBuilder::lowerMove(nn::WindowedOp op, ArrayRef<SlidDim> dims) {
  Value operand = op->getOperand(0), made;
  if (op.getPositions().front() == operand) {
    made = extend(op, dims).lookup(operand);
  } else {
    Margins margins{local(operand), 0};
    for (const SlidDim &slid : llvm::reverse(dims)) {
      margins.dim = slid.dim;
      if (slid.isExtended)
        moveMargins(margins, slid, /*attaches=*/false);
    }
    made = margins.value;
  }
  Value result = op->getResult(0);
  mapping.map(result, withFactorsOf(made, localOf(result)));
}

/// Whether an operand has something for each window, as a rule has it.
static bool hasWindows(const nn::PlacementRule::Value &value,
                       const nn::PlacementRule &rule) {
  return llvm::any_of(value.dims, [&](ArrayRef<int> factors) {
    return llvm::any_of(factors, [&](int factor) {
      return factor >= 0 && rule.factors[factor].windowsOf >= 0;
    });
  });
}

/// How many zeros the operation itself adds before and behind each dim.
ClassBuilder::Paddings ClassBuilder::paddingsOf(ArrayRef<SlidDim> dims) const {
  Paddings paddings;
  for (const SlidDim &slid : dims) {
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

/// Without what only placing and partitioning ask for.
Operation *ClassBuilder::cloneWindowed(nn::WindowedOp op) {
  Operation *copy = builder.clone(*op, mapping);
  for (StringRef mark : {nn::kHalos, nn::kHaloLines, nn::kHaloStrategies,
                         nn::kHaloOverlaps, nn::kHaloLayers, nn::kHaloFrom})
    copy->removeAttr(mark);
  return copy;
}

LogicalResult ClassBuilder::lowerWindowed(nn::WindowedOp op) {
  SlidDims dims = slidDims(op, shares);
  if (!op.addsZeros()) {
    lowerMove(op, dims);
    return success();
  }
  SmallVector<Value> positions = op.getPositions();
  auto slides = [&](Value value) {
    return llvm::is_contained(positions, value);
  };
  FailureOr<bool> isOverlapped = lowerOverlapped(op, dims);
  if (failed(isOverlapped) || *isOverlapped)
    return success(succeeded(isOverlapped));
  llvm::DenseMap<Value, Value> held = extend(op, dims);
  // By number: one value may be queries, which need no margins, and keys.
  nn::PlacementRule rule =
      cast<nn::PlacedOp>(op.getOperation()).getPlacementRule();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get(), read = local(value);
    const nn::Carried *how = carried.find(value);
    bool isQueries =
        hasWindows(rule.operands[operand.getOperandNumber()], rule);
    if (held.contains(value) && !isQueries)
      read = held.lookup(value);
    else if (held.contains(value) && how && op->hasAttr(nn::kHaloFrom))
      read = ownPart(
          read, *how, shares.of(nn::layoutOf(value), how->dim, how->factor),
          shares.held(value, how->dim, how->factor), /*isTaken=*/true);
    operands.push_back(read);
  }
  Operation *copy = cloneWindowed(op);
  copy->setOperands(operands);
  for (OpResult result : op->getResults()) {
    RankedTensorType type = localOf(result);
    for (const SlidDim &slid : dims)
      if (slid.isExtended && slides(result))
        type = withSize(
            type, op.getPositionsDim(result, slid.dim),
            slid.held.size.at(shares.getMesh(), rankClass.coordinates));
    copy->getResult(result.getResultNumber()).setType(type);
  }
  auto [lows, highs] = paddingsOf(dims);
  cast<nn::WindowedOp>(copy).setPadding(lows, highs);
  FailureOr<Operation *> adapted = adapt(*op, *copy);
  if (failed(adapted))
    return failure();
  mapping.map(op->getResults(), (*adapted)->getResults());
  for (const SlidDim &slid : llvm::reverse(dims)) {
    SmallVector<Margins> sent;
    SmallVector<OpResult> results;
    for (OpResult result : op->getResults())
      if (slid.isExtended && slides(result)) {
        sent.push_back({local(result), op.getPositionsDim(result, slid.dim)});
        results.push_back(result);
      }
    moveMargins(sent, slid, /*attaches=*/false);
    for (auto [result, margins] : llvm::zip(results, sent))
      mapping.map(result, margins.value);
  }
  for (OpResult result : op->getResults())
    if (slides(result)) // a dim of several factors went as one
      mapping.map(result, withFactorsOf(local(result), localOf(result)));
  return success();
}
