//===- Margins.cpp - margins of a cut dim, attached and sent back ---------===//
//
// What a rank finds in what it has is a view. Else margins travel: those that a
// rank misses, in one exchange, or by an all_gather the whole dim, of which it
// takes its window. The way back of that is the window among zeros, and a
// reduce_scatter.
//
//===----------------------------------------------------------------------===//

#include "Margins.h"
#include "dialects/Nn/Shape.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

RankedTensorType partitioning::withSize(Type type, int64_t dim, int64_t size) {
  nn::LayoutAttr layout = nn::layoutOf(type);
  SmallVector<nn::DimAttr> dims(layout.getDims());
  dims[dim] = nn::dimOf(type.getContext(),
                        dims[dim].getFactors().front().getName(), size);
  return nn::withLayout(cast<RankedTensorType>(type),
                        nn::LayoutAttr::get(type.getContext(), dims));
}

/// What a halo exchange or reduction is told.
struct MarginMoves::HaloMove {
  bool attaches;
  AxisList axes;
  Share own, held;
  int64_t extent;
  nn::Border border;
  spmd::HaloStrategy strategy = spmd::HaloStrategy::Neighbors;
  bool isStarted = false;
};

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

static spmd::TableAttr constant(MLIRContext *context, int64_t value) {
  return spmd::TableAttr::simplified(context, {}, {value});
}

/// Of the model, and of the schedule where that asked for it.
Location MarginMoves::lineOf(const WindowedDim &slid) const {
  return slid.line ? FusedLoc::get(loc.getContext(), {loc, Location(slid.line)})
                   : loc;
}

/// Moves values of one element type at once.
void MarginMoves::emitHalo(ArrayRef<Margins *> group, const HaloMove &move,
                           Location at) {
  int64_t size = here(move.attaches ? move.held.size : move.own.size);
  SmallVector<Value> xs;
  SmallVector<Type> types;
  SmallVector<int64_t> dims, factors(group.size(), 0);
  for (Margins *margins : group) {
    xs.push_back(margins->value);
    types.push_back(withSize(margins->value.getType(), margins->dim, size));
    dims.push_back(margins->dim);
  }
  auto create = [&](auto op) -> Operation * {
    return decltype(op)::create(
        builder, at, types, xs, listOf(move.axes), dims, factors,
        move.own.offset, move.own.size, move.held.offset, move.held.size,
        move.extent, nn::BorderAttr::get(builder.getContext(), move.border),
        move.strategy, move.isStarted, move.held.rows, nextId++);
  };
  Operation *moved = move.attaches ? create(spmd::HaloExchangeOp())
                                   : create(spmd::HaloReduceOp());
  for (auto [margins, result] : llvm::zip(group, moved->getResults()))
    margins->value = result;
}

void MarginMoves::start(ValueRange xs, const WindowedDim &slid) {
  spmd::StartOp::create(builder, lineOf(slid), xs, listOf(slid.axes), nextId);
}

Value MarginMoves::withFactorsOf(Value x, RankedTensorType type) {
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

namespace {
/// A whole dim with as much border as some member holds.
struct Bordered {
  int64_t low = 0, extent = 0, high = 0;
  SmallVector<int64_t> places; // of what each member holds in it
};
} // namespace

static Bordered borderedOf(const WindowedDim &slid) {
  Bordered whole{0, slid.window.extent, 0, {}};
  SmallVector<int64_t> offsets = slid.held.offset.valuesFor(slid.members),
                       sizes = slid.held.size.valuesFor(slid.members);
  for (auto [offset, size] : llvm::zip(offsets, sizes)) {
    if (size == 0)
      continue;
    whole.low = std::max(whole.low, -offset);
    whole.high = std::max(whole.high, offset + size - whole.extent);
  }
  for (auto [offset, size] : llvm::zip(offsets, sizes))
    whole.places.push_back(size > 0 ? offset + whole.low : 0);
  return whole;
}

/// The whole dim to every member, or from each a term of it.
void MarginMoves::emitWhole(ArrayRef<Margins *> group, const WindowedDim &slid,
                            bool gathers, Location at) {
  ArrayAttr axes = listOf(slid.axes);
  int64_t size = gathers ? slid.window.extent : here(slid.own.size);
  SmallVector<Value> xs;
  SmallVector<Type> types;
  SmallVector<Attribute> cuts;
  for (Margins *margins : group) {
    xs.push_back(margins->value);
    types.push_back(withSize(margins->value.getType(), margins->dim, size));
    cuts.push_back(spmd::CutAttr::get(builder.getContext(), margins->dim,
                                      /*factor=*/0, slid.own.offset,
                                      slid.own.size));
  }
  int64_t dim = group.front()->dim, id = nextId++;
  ArrayAttr list = builder.getArrayAttr(cuts);
  Operation *made;
  if (group.size() == 1 && gathers)
    made = spmd::AllGatherOp::create(builder, at, types.front(), xs.front(),
                                     axes, dim, /*factor=*/0, slid.own.offset,
                                     slid.own.size, id, /*hook=*/nullptr);
  else if (gathers)
    made =
        spmd::AllGatherManyOp::create(builder, at, types, xs, axes, list, id);
  else if (group.size() == 1)
    made = spmd::ReduceScatterOp::create(
        builder, at, types.front(), xs.front(), axes, nn::Reduction::Sum, dim,
        /*factor=*/0, slid.own.offset, slid.own.size, id, /*hook=*/nullptr);
  else
    made = spmd::ReduceScatterManyOp::create(builder, at, types, xs, axes,
                                             nn::Reduction::Sum, list, id);
  for (auto [margins, result] : llvm::zip(group, made->getResults()))
    margins->value = result;
}

void MarginMoves::gatherMargins(ArrayRef<Margins *> group,
                                const WindowedDim &slid, bool attaches,
                                Location at) {
  MLIRContext *context = builder.getContext();
  Bordered whole = borderedOf(slid);
  int64_t size = whole.low + whole.extent + whole.high;
  auto offset = spmd::TableAttr::simplified(context, slid.axes, whole.places);
  HaloMove border{attaches,
                  {},
                  {constant(context, 0), constant(context, whole.extent)},
                  {constant(context, -whole.low), constant(context, size)},
                  whole.extent,
                  slid.window.border};
  bool hasBorder = size > whole.extent;
  if (attaches) {
    emitWhole(group, slid, /*gathers=*/true, at);
    if (hasBorder)
      emitHalo(group, border, at);
    for (Margins *margins : group)
      margins->value = spmd::SliceOp::create(
          builder, loc,
          withSize(margins->value.getType(), margins->dim,
                   here(slid.held.size)),
          margins->value, margins->dim, /*factor=*/0, offset);
    return;
  }
  for (Margins *margins : group)
    margins->value = spmd::PlaceOp::create(
        builder, loc, withSize(margins->value.getType(), margins->dim, size),
        margins->value, margins->dim, /*factor=*/0, offset);
  if (hasBorder)
    emitHalo(group, border, at);
  emitWhole(group, slid, /*gathers=*/false, at);
}

/// A view, or what the rank owns among zeros. Ranks of a class have one part in
/// the other at one place.
void MarginMoves::hold(nn::HoldOp op) {
  nn::LayoutAttr from = nn::layoutOf(op.getX()),
                 to = nn::layoutOf(op.getResult());
  Value x = local(op.getX());
  for (auto [dim, whole] : llvm::enumerate(from.getDims()))
    for (size_t factor = 0; factor < whole.getFactors().size(); ++factor) {
      nn::HeldAttr made = to.heldOf(dim, factor);
      if (from.heldOf(dim, factor) == made)
        continue;
      Share has = shares.held(from, dim, factor),
            gets = shares.held(to, dim, factor);
      bool places = made && made.getTerms();
      int64_t place = here(has.offset) - here(gets.offset);
      int64_t least = here((places ? has : gets).size);
      auto offset =
          spmd::TableAttr::constant(builder.getContext(), least == 0 ? 0
                                                          : places   ? place
                                                                     : -place);
      RankedTensorType type =
          withFactorSize(x.getType(), dim, factor, here(gets.size));
      if (places)
        x = spmd::PlaceOp::create(builder, loc, type, x, dim, factor, offset);
      else
        x = spmd::SliceOp::create(builder, loc, type, x, dim, factor, offset);
    }
  mapping.map(op.getResult(), x);
}

/// What a rank finds in what it has is a part of that; what is a move and
/// nothing else, with zeros around it.
void MarginMoves::moveMargins(MutableArrayRef<Margins> list,
                              const WindowedDim &slid, bool attaches,
                              bool isStarted) {
  MLIRContext *context = builder.getContext();
  int64_t size = here(attaches ? slid.held.size : slid.own.size);
  for (Margins &margins : list) { // a dim of several factors as one
    Type type = margins.value.getType();
    int64_t whole = cast<RankedTensorType>(type).getDimSize(margins.dim);
    margins.value =
        withFactorsOf(margins.value, withSize(type, margins.dim, whole));
  }
  bool local = !slid.isInner && isLocal(slid, attaches);
  if (auto places = placesOf(slid, attaches); local && places) { // a view
    auto offset = spmd::TableAttr::simplified(context, slid.axes, *places);
    for (Margins &margins : list)
      margins.value = spmd::SliceOp::create(
          builder, loc, withSize(margins.value.getType(), margins.dim, size),
          margins.value, margins.dim, /*factor=*/0, offset);
    return;
  }
  bool isOwn = slid.isInner || isAlone(slid, attaches);
  bool isGathered =
      slid.strategy == "all_gather" && !local && !isOwn && !slid.axes.empty();
  HaloMove move{attaches,
                slid.axes,
                slid.own,
                slid.held,
                slid.window.extent,
                slid.window.border,
                slid.axes.empty() || local || slid.strategy != "all_to_all"
                    ? spmd::HaloStrategy::Neighbors
                    : spmd::HaloStrategy::AllToAll,
                isStarted};
  if (isOwn) {
    int64_t extent = here(slid.own.size);
    move = {attaches,
            {},
            {constant(context, 0), constant(context, extent)},
            {constant(context, here(shiftOf(slid))),
             constant(context, here(slid.held.size))},
            extent,
            slid.window.border};
  }
  Location at = lineOf(slid);
  llvm::MapVector<Type, SmallVector<Margins *>> groups;
  for (Margins &margins : list)
    groups[getElementTypeOrSelf(margins.value)].push_back(&margins);
  for (auto &[element, group] : groups)
    if (isGathered)
      gatherMargins(group, slid, attaches, at);
    else
      emitHalo(group, move, at);
}
