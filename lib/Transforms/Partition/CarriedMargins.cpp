//===- CarriedMargins.cpp - margins that were exchanged before ------------===//
//
// What attention reads in margins may be computed there of what was exchanged
// before: values then are held with margins. What else reads them gets the
// rank's own part, a view; what is added to gradients in margins is zero there.
//
//===----------------------------------------------------------------------===//

#include "Margins.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

void partitioning::addCarried(const nn::CarriedMargins &carried,
                              Shares &shares) {
  // What the attentions read, before it is what they have.
  llvm::DenseMap<Operation *, Share> read;
  for (const auto &[value, how] : carried.all())
    if (!read.contains(how.reader))
      for (const WindowedDim &slid : windowedDims(how.reader, shares))
        read[how.reader] = slid.held;
  for (const auto &[value, how] : carried.all()) {
    shares.setHeld(value, how.dim, read.lookup(how.reader), how.factor);
    shares.setCarried(value);
  }
}

RankedTensorType partitioning::withFactorSize(Type type, int64_t dim,
                                              int64_t factor, int64_t size) {
  MLIRContext *context = type.getContext();
  SmallVector<nn::DimAttr> dims(nn::layoutOf(type).getDims());
  SmallVector<nn::FactorAttr> factors(dims[dim].getFactors());
  factors[factor] =
      nn::FactorAttr::get(context, factors[factor].getName(), size);
  dims[dim] = nn::DimAttr::get(context, factors);
  return nn::withLayout(cast<RankedTensorType>(type),
                        nn::LayoutAttr::get(context, dims));
}

std::optional<WindowedDim> partitioning::exchangedDim(nn::WindowedOp op,
                                                      Shares &shares) {
  auto lines = op->getAttrOfType<ArrayAttr>(nn::kHaloLines);
  if (!op->hasAttr(nn::kHaloFrom) || !lines ||
      !isa<nn::PadOp, nn::PadTransposeOp>(op.getOperation()))
    return std::nullopt;
  for (auto [dim, line] : llvm::enumerate(lines)) {
    if (!isa<LocationAttr>(line))
      continue;
    Value positions = op.getPositions().front();
    nn::LayoutAttr layout = nn::layoutOf(positions);
    nn::Window window;
    window.extent = layout.getDims()[dim].getSize();
    AxisList axes = shares.axesOf(layout, dim, 0);
    int64_t members = 1;
    for (StringAttr axis : axes)
      members *= shares.getMesh().getSize(axis.getValue());
    WindowedDim slid{int64_t(dim),
                     window,
                     axes,
                     shares.of(layout, dim, 0),
                     shares.held(op.getWindowed(), dim),
                     members,
                     /*isExtended=*/true};
    slid.line = cast<LocationAttr>(line);
    if (auto strategies = op->getAttrOfType<ArrayAttr>(nn::kHaloStrategies))
      slid.strategy = cast<StringAttr>(strategies[dim]).getValue();
    return slid;
  }
  return std::nullopt;
}

/// The rank's own part of what it has with margins, or that part among zeros.
/// Ranks of a class have it at one place.
Value MarginMoves::ownPart(Value x, const nn::Carried &how, const Share &own,
                           const Share &held, bool isTaken) {
  int64_t size = here(isTaken ? own.size : held.size);
  int64_t place = here(own.offset) - here(held.offset);
  auto offset = spmd::TableAttr::constant(builder.getContext(),
                                          here(own.size) > 0 ? place : 0);
  RankedTensorType type =
      withFactorSize(x.getType(), how.dim, how.factor, size);
  if (isTaken)
    return spmd::SliceOp::create(builder, loc, type, x, how.dim, how.factor,
                                 offset);
  return spmd::PlaceOp::create(builder, loc, type, x, how.dim, how.factor,
                               offset);
}

SmallVector<std::pair<Value, Value>> MarginMoves::readMargins(Operation &op) {
  SmallVector<std::pair<Value, Value>> reads;
  bool isInside = carried.isInside(&op);
  // An attention reads keys and values with them, and nothing else.
  bool readsKeys =
      op.hasAttr(nn::kHaloFrom) && !isa<nn::PadOp, nn::PadTransposeOp>(op);
  SmallVector<Value> keys;
  if (readsKeys)
    keys = cast<nn::WindowedOp>(op).getPositions();
  const nn::Carried *beside = nullptr;
  Value sample;
  for (Value operand : op.getOperands())
    if (const nn::Carried *how = carried.find(operand)) {
      beside = how;
      sample = operand;
    }
  if (!beside)
    return reads;
  auto ownOf = [&](Value value, const nn::Carried &how) {
    return shares.of(nn::layoutOf(value), how.dim, how.factor);
  };
  Share held = shares.held(sample, beside->dim, beside->factor);
  for (OpOperand &operand : op.getOpOperands()) {
    Value value = operand.get();
    if (llvm::is_contained(llvm::make_first_range(reads), value))
      continue; // of a product of it with itself
    const nn::Carried *how = carried.find(value);
    const nn::Carried *zeros = carried.findZeros(operand);
    if (zeros)
      reads.push_back({value, ownPart(local(value), *zeros,
                                      ownOf(value, *zeros), held, false)});
    else if (how &&
             (!isInside || (readsKeys && !llvm::is_contained(keys, value))))
      reads.push_back(
          {value, ownPart(local(value), *how, ownOf(value, *how), held, true)});
  }
  return reads;
}
