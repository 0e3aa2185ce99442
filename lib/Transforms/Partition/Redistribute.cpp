//===- Redistribute.cpp - redistributions as collectives and slices -------===//

#include "Redistribute.h"
#include "WindowedDims.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// The factor that a redistribution cuts or joins: the axes that it concerns,
/// innermost of those that cut the factor, and the share of each member in what
/// the rank holds without them.
struct Redistributions::FactorCut {
  int64_t dim, factor;
  AxisList axes;
  Share share;
  /// The one that cuts it in an order, if that is one of the axes.
  nn::SplitAttr order;

  OrderedFactor ordered() const { return {dim, factor, order}; }
};

/// `layout` is the side of the redistribution that is split over `axes`.
FailureOr<Redistributions::FactorCut>
Redistributions::cutOf(Operation *op, nn::LayoutAttr layout, ArrayAttr axes) {
  std::optional<std::pair<int64_t, int64_t>> place;
  size_t count = 0;
  for (Attribute axis : axes) {
    StringRef name = cast<StringAttr>(axis).getValue();
    if (shares.getMesh().getSize(name) == 1)
      continue;
    nn::SplitAttr split = layout.splitOver(name);
    assert(split && "the verifier asks for a split over each axis");
    std::pair<int64_t, int64_t> found = {split.getDim(), split.getFactor()};
    if (place && *place != found)
      return op->emitError()
             << "moves factors " << place->first << "." << place->second
             << " and " << found.first << "." << found.second << " at once";
    place = found;
    ++count;
  }
  assert(place && "a redistribution over axes of size 1 moves nothing");
  AxisList all = shares.axesOf(layout, place->first, place->second);
  [[maybe_unused]] auto outer = ArrayRef(all).drop_back(count);
  assert(llvm::none_of(outer,
                       [&](StringAttr axis) {
                         return llvm::is_contained(axes, Attribute(axis));
                       }) &&
         "the verifier asks that the inner axes move");
  nn::SplitAttr major =
      shares.splitsOf(layout, place->first, place->second).front();
  bool isOrdered = count == all.size() && major.isOrdered();
  return FactorCut{place->first, place->second,
                   AxisList(ArrayRef(all).take_back(count)),
                   shares.inside(layout, place->first, place->second, count,
                                 rankClass.coordinates),
                   isOrdered ? major : nn::SplitAttr()};
}

/// The operation keeps its own value for its other uses.
Operation *Redistributions::cloneBeside(Operation &op) {
  Value own = mapping.lookupOrNull(op.getResult(0));
  Operation *copy = builder.clone(op, mapping);
  if (own)
    mapping.map(op.getResult(0), own);
  return copy;
}

/// Rows of an embedding's gradient are made by those ids alone.
bool Redistributions::lowerRowSlice(nn::RedistributeOp op,
                                    nn::EmbeddingGradOp gradient) {
  auto columns = [](Value table) {
    SmallVector<nn::SplitAttr> splits;
    llvm::copy_if(nn::layoutOf(table).getSplits(), std::back_inserter(splits),
                  [](nn::SplitAttr split) { return split.getDim() != 0; });
    return splits;
  };
  if (columns(gradient.getResult()) != columns(op.getResult()) ||
      failed(shares.offsetOf(nn::layoutOf(op.getResult()), 0)))
    return false;
  Operation *copy = cloneBeside(*gradient);
  copy->getResult(0).setType(local(op.getResult().getType()));
  auto rows = operations.restateRows(*copy, op.getResult());
  mapping.map(op.getResult(), (*rows)->getResult(0)); // is known to exist
  return true;
}

/// A slice of a fill or an iota is a smaller one.
bool Redistributions::lowerConstantSlice(nn::RedistributeOp op) {
  Operation *source = op.getX().getDefiningOp();
  while (auto named = dyn_cast_or_null<nn::ValueOp>(source))
    source = named.getX().getDefiningOp();
  if (auto gradient = dyn_cast_or_null<nn::EmbeddingGradOp>(source))
    return lowerRowSlice(op, gradient);
  if (!isa_and_nonnull<nn::FillOp, nn::IotaOp>(source))
    return false;
  Operation *copy = cloneBeside(*source);
  copy->getResult(0).setType(local(op.getResult().getType()));
  if (auto iota = dyn_cast<nn::IotaOp>(copy)) {
    if (failed(shares.placeOf(nn::layoutOf(op.getResult()), iota.getDim()))) {
      copy->erase();
      return false;
    }
    copy = *operations.restateIota(iota, op.getResult());
  }
  mapping.map(op.getResult(), copy->getResult(0));
  return true;
}

/// Cuts one factor after another: the axes of a parameter's or constant's slice
/// may split several.
LogicalResult Redistributions::lowerSlice(nn::RedistributeOp op) {
  nn::LayoutAttr to = nn::layoutOf(op.getResult());
  llvm::MapVector<std::pair<int64_t, int64_t>, AxisList> axesByFactor;
  for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>())
    if (nn::SplitAttr split = to.splitOver(axis))
      if (shares.getMesh().getSize(axis) > 1)
        axesByFactor[{split.getDim(), split.getFactor()}].push_back(
            split.getAxis());
  Value x = local(op.getX());
  for (const auto &[place, axes] : axesByFactor) {
    FailureOr<FactorCut> cut = cutOf(op, to, listOf(axes));
    if (failed(cut))
      return failure();
    int64_t size = cut->share.size.at(shares.getMesh(), rankClass.coordinates);
    if (cut->order)
      x = orders.listed(x, cut->ordered());
    auto type = cast<RankedTensorType>(x.getType());
    x = spmd::SliceOp::create(
        builder, loc, withFactorSize(type, place.first, place.second, size), x,
        cut->dim, cut->factor, cut->share.offset);
  }
  mapping.map(op.getResult(), x);
  return success();
}

/// What each rank gets of a factor is what windows of one position would read
/// that lie elsewhere.
void Redistributions::lowerRepartition(nn::RedistributeOp op) {
  nn::LayoutAttr from = nn::layoutOf(op.getX()),
                 to = nn::layoutOf(op.getResult());
  Value x = local(op.getX());
  llvm::SmallSetVector<std::pair<int64_t, int64_t>, 2> places;
  for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>())
    if (nn::SplitAttr split = to.splitOver(axis))
      places.insert({split.getDim(), split.getFactor()});
  for (auto [dim, factor] : places) {
    Share own = shares.of(from, dim, factor), held = shares.of(to, dim, factor);
    if (own.offset == held.offset && own.size == held.size)
      continue;
    int64_t extent = to.getDims()[dim].getFactors()[factor].getSize();
    Type type = withFactorSize(x.getType(), dim, factor, here(held.size));
    auto moved = spmd::HaloExchangeOp::create(
        builder, loc, type, x, listOf(shares.axesOf(to, dim, factor)),
        ArrayRef<int64_t>(dim), ArrayRef<int64_t>(factor), own.offset, own.size,
        held.offset, held.size, extent,
        nn::BorderAttr::get(builder.getContext(), nn::Border::Zero),
        spmd::HaloStrategy::Neighbors,
        /*isStarted=*/false, /*rows=*/ArrayAttr(), nextId++);
    x = moved.getResult(0);
  }
  mapping.map(op.getResult(), x);
}

LogicalResult Redistributions::lower(nn::RedistributeOp op) {
  AxisList listed;
  for (Attribute axis : op.getAxes())
    listed.push_back(cast<StringAttr>(axis));
  if (shares.live(listed).empty() || folding.isFolded(op)) {
    mapping.map(op.getResult(), local(op.getX()));
    return success();
  }
  Move move = folding.moveOf(op);
  using Kind = nn::RedistributeKind;
  if (move.kind == Kind::Slice && lowerConstantSlice(op))
    return success();
  if (move.kind == Kind::Slice)
    return lowerSlice(op);
  if (move.kind == Kind::Repartition) {
    lowerRepartition(op);
    return success();
  }

  FailureOr<FactorCut> to = FactorCut(), from = FactorCut();
  bool isCut = move.kind == Kind::ReduceScatter || move.kind == Kind::AllToAll;
  if (isCut && failed(to = cutOf(op, move.to, op.getAxes())))
    return failure();
  bool isJoined = move.kind == Kind::AllGather || move.kind == Kind::AllToAll;
  if (isJoined && failed(from = cutOf(op, move.from, op.getAxes())))
    return failure();
  if (isCut && isJoined && to->axes != from->axes)
    return op.emitError() << "takes axes in another order than it found them: "
                          << listOf(from->axes) << " and " << listOf(to->axes);
  Value x = local(op.getX());
  if (to->order)
    x = orders.listed(x, to->ordered());
  Value result = emitMove(op, x, move, shares.inMeshOrder(listed), *from, *to);
  if (Attribute unit = op->getAttr(nn::kUnit))
    result.getDefiningOp()->setAttr(nn::kUnit, unit);
  if (from->order)
    result = orders.putBack(result, from->ordered());
  mapping.map(op.getResult(), result);
  return success();
}

Value Redistributions::emitMove(nn::RedistributeOp op, Value x,
                                const Move &move, const AxisList &axes,
                                const FactorCut &from, const FactorCut &to) {
  RankedTensorType type = localOf(op.getResult());
  nn::PartialAttr partial = move.from.partialOver(axes.front().getValue());
  nn::Reduction reduction =
      partial ? partial.getReduction() : nn::Reduction::Sum;
  switch (move.kind) {
  case nn::RedistributeKind::Mask:
    return spmd::KeepFirstOp::create(builder, loc, type, x, listOf(axes));
  case nn::RedistributeKind::AllReduce:
    return allReduce(x, axes, reduction, op.getHookAttr());
  case nn::RedistributeKind::Broadcast:
    return spmd::BroadcastOp::create(builder, loc, type, x, listOf(axes),
                                     op.getRoot().value_or(0), nextId++);
  case nn::RedistributeKind::ReduceScatter:
    return spmd::ReduceScatterOp::create(
        builder, loc, type, x, listOf(to.axes), reduction, to.dim, to.factor,
        to.share.offset, to.share.size, nextId++, op.getHookAttr());
  case nn::RedistributeKind::AllGather:
    return spmd::AllGatherOp::create(
        builder, loc, type, x, listOf(from.axes), from.dim, from.factor,
        from.share.offset, from.share.size, nextId++, op.getHookAttr());
  case nn::RedistributeKind::AllToAll:
    return spmd::AllToAllOp::create(builder, loc, type, x, listOf(from.axes),
                                    from.dim, from.factor, from.share.offset,
                                    from.share.size, to.dim, to.factor,
                                    to.share.offset, to.share.size, nextId++);
  case nn::RedistributeKind::Slice:
  case nn::RedistributeKind::Repartition:
    break; // lowered before
  }
  llvm_unreachable("no collective of one operand");
}
