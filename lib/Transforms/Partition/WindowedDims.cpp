//===- WindowedDims.cpp - what windows read of a cut dim ------------------===//

#include "WindowedDims.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// What both are parts of.
static nn::Interval around(nn::Interval a, nn::Interval b) {
  if (a.size == 0 || b.size == 0)
    return b.size == 0 ? a : b;
  int64_t begin = std::min(a.offset, b.offset);
  int64_t end = std::max(a.offset + a.size, b.offset + b.size);
  return {begin, end - begin};
}

static SmallVector<nn::Interval> intervals(const Share &share,
                                           int64_t members) {
  SmallVector<nn::Interval> list;
  for (auto [offset, size] : llvm::zip(share.offset.valuesFor(members),
                                       share.size.valuesFor(members)))
    list.push_back({offset, size});
  return list;
}

static WindowedDim slidDim(int64_t dim, const nn::Window &window,
                           const AxisList &axes, const Share &own,
                           ArrayRef<nn::Interval> made, bool addsZeros) {
  int64_t members = made.size();
  WindowedDim slid{dim, window, axes, own, own, members, true};
  bool isWhole = axes.empty() && window.border == nn::Border::Zero && addsZeros;
  if (isWhole || window.lookup) { // edges read what their type says
    slid.isExtended = false;
    slid.low = window.low;
    slid.high = window.high;
    return slid;
  }
  SmallVector<int64_t> offsets, sizes;
  for (nn::Interval part : made) {
    nn::Interval held = window.reads(part);
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

static ArrayAttr listOf(const AxisList &axes, MLIRContext *context) {
  SmallVector<Attribute> names(axes.begin(), axes.end());
  return ArrayAttr::get(context, names);
}

/// The results of each member of `axes`, which cut the positions: those of all
/// its ranks, where more axes cut the results. Keys may be so.
static SmallVector<nn::Interval> partsOver(const AxisList &axes,
                                           const AxisList &all,
                                           const Share &made,
                                           nn::MeshAttr mesh) {
  ArrayAttr list = listOf(axes, mesh.getContext());
  int64_t members = spmd::memberCount(mesh, list);
  if (axes == all || all.empty())
    return intervals(made, members);
  SmallVector<std::optional<nn::Interval>> parts(members);
  for (int64_t rank = 0, e = mesh.getRankCount(); rank < e; ++rank) {
    SmallVector<int64_t> at = spmd::coordinatesOf(mesh, rank);
    nn::Interval next{made.offset.at(mesh, at), made.size.at(mesh, at)};
    auto &part = parts[spmd::memberIndex(mesh, list, at)];
    part = part ? around(*part, next) : next;
  }
  return llvm::map_to_vector(parts, [](auto &part) { return *part; });
}

/// Of a dim, in positions. One of several factors is whole.
static Share shareOf(Value value, int64_t dim, Shares &shares) {
  nn::DimAttr whole = nn::layoutOf(value).getDims()[dim];
  if (whole.getFactors().size() == 1)
    return shares.held(nn::layoutOf(value), dim);
  MLIRContext *context = value.getContext();
  return {spmd::TableAttr::simplified(context, {}, {0}),
          spmd::TableAttr::simplified(context, {}, {whole.getSize()})};
}

WindowedDims partitioning::windowedDims(nn::WindowedOp op, Shares &shares) {
  WindowedDims dims;
  nn::LayoutAttr positions = nn::layoutOf(op.getPositions().front());
  nn::LayoutAttr windowed = nn::layoutOf(op.getWindowed());
  for (auto [dim, window] : llvm::enumerate(op.getWindows())) {
    if (!window)
      continue;
    AxisList axes = shares.axesOf(positions, dim, 0);
    auto parts =
        partsOver(axes, shares.axesOf(windowed, dim, 0),
                  shareOf(op.getWindowed(), dim, shares), shares.getMesh());
    dims.push_back(slidDim(dim, *window, axes,
                           shareOf(op.getPositions().front(), dim, shares),
                           parts, op.addsZeros()));
    dims.back().isInner = bool(positions.heldOf(dim, /*factor=*/0));
    if (dims.back().isInner && window->border == nn::Border::Zero)
      dims.back().isExtended = false; // the operation adds what is no data
  }
  return dims;
}

WindowedDim partitioning::exchangedDim(nn::ExchangeOp op, Shares &shares) {
  int64_t dim = op.getDim();
  nn::LayoutAttr from = nn::layoutOf(op.getXs().front()),
                 to = nn::layoutOf(op.getMade().front());
  Share x = shares.held(from, dim), result = shares.held(to, dim);
  nn::Window window;
  window.extent = from.getDims()[dim].getSize();
  window.border = op.getBorder().getValue();
  WindowedDim slid{dim,
                   window,
                   shares.axesOf(from, dim, 0),
                   op.getBack() ? result : x,
                   op.getBack() ? x : result,
                   /*members=*/1,
                   /*isExtended=*/true};
  for (StringAttr axis : slid.axes)
    slid.members *= shares.getMesh().getSize(axis.getValue());
  slid.strategy = op.getStrategy();
  slid.overlaps = op.getOverlap();
  return slid;
}

bool partitioning::hasWindows(const nn::PlacementRule::Value &value,
                              const nn::PlacementRule &rule) {
  return llvm::any_of(value.dims, [&](ArrayRef<int> factors) {
    return llvm::any_of(factors, [&](int factor) {
      return factor >= 0 && rule.factors[factor].windowsOf >= 0;
    });
  });
}

SmallVector<int64_t> partitioning::localEdges(nn::WindowedOp op,
                                              const WindowedDim &slid,
                                              Shares &shares,
                                              ArrayRef<int64_t> coordinates) {
  auto at = [&](spmd::TableAttr table) {
    return table.at(shares.getMesh(), coordinates);
  };
  Share made = shareOf(op.getWindowed(), slid.dim, shares);
  // Edges may be in an order, whatever nodes are.
  auto placeOf = [&](int64_t number) {
    if (!made.runs)
      return number;
    int64_t inPart = number - at(made.runs.getBegin()),
            length = at(made.runs.getLength());
    return at(made.runs.getFirst()) +
           inPart / length * at(made.runs.getEvery()) + inPart % length;
  };
  int64_t first = at(made.offset);
  SmallVector<int64_t> indices;
  for (int64_t number : llvm::seq(first, first + at(made.size)))
    indices.push_back(slid.window.lookup->indices[placeOf(number)]);
  if (ArrayAttr lists = slid.held.rows) {
    ArrayAttr axes = listOf(slid.axes, lists.getContext());
    int64_t me = spmd::memberIndex(shares.getMesh(), axes, coordinates);
    ArrayRef<int64_t> rows = cast<DenseI64ArrayAttr>(lists[me]);
    for (int64_t &index : indices)
      index = llvm::lower_bound(rows, index) - rows.begin();
    return indices;
  }
  for (int64_t &index : indices)
    index -= at(slid.held.offset);
  return indices;
}

static bool contains(nn::Interval outer, nn::Interval inner) {
  return inner.size == 0 ||
         (inner.offset >= outer.offset &&
          inner.offset + inner.size <= outer.offset + outer.size);
}

static nn::Interval common(nn::Interval a, nn::Interval b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.offset + a.size, b.offset + b.size);
  return {begin, std::max<int64_t>(end - begin, 0)};
}

spmd::TableAttr partitioning::shiftOf(const WindowedDim &slid) {
  SmallVector<int64_t> shifts;
  for (auto [own, held] : llvm::zip(intervals(slid.own, slid.members),
                                    intervals(slid.held, slid.members)))
    shifts.push_back(held.offset - own.offset);
  return spmd::TableAttr::simplified(slid.own.offset.getContext(), slid.axes,
                                     shifts);
}

/// Whether a member finds all that it holds in what it owns, at the place where
/// its own part as a dim of its own would show it.
static bool showsOwn(const nn::Window &window, nn::Interval own,
                     nn::Interval held) {
  if (window.border == nn::Border::Zero)
    return contains(own, common(held, {0, window.extent}));
  for (int64_t e = held.offset; e < held.offset + held.size; ++e)
    if (int64_t place = window.dataAt(e) - own.offset;
        place < 0 || place >= own.size ||
        place != plan::placeOf(window.border, e - own.offset, own.size))
      return false;
  return true;
}

bool partitioning::isLocal(const WindowedDim &slid, bool attaches) {
  auto own = intervals(slid.own, slid.members);
  auto held = intervals(slid.held, slid.members);
  // Margins are added to what others own, or where the border shows it.
  if (slid.window.border != nn::Border::Zero || attaches)
    return llvm::all_of(llvm::zip(own, held), [&](auto pair) {
      return showsOwn(slid.window, std::get<0>(pair), std::get<1>(pair));
    });
  for (auto [i, from] : llvm::enumerate(held))
    for (auto [j, to] : llvm::enumerate(own))
      if (i != j && common(from, to).size > 0)
        return false;
  return true;
}

std::optional<SmallVector<int64_t>>
partitioning::placesOf(const WindowedDim &slid, bool attaches) {
  auto own = intervals(slid.own, slid.members);
  auto held = intervals(slid.held, slid.members);
  SmallVector<int64_t> places;
  nn::Interval data{0, slid.window.extent};
  bool showsData = slid.window.border != nn::Border::Zero;
  if (!attaches && showsData) // terms of what a border shows are added
    for (nn::Interval from : held)
      if (!contains(data, from))
        return std::nullopt;
  for (auto [has, part] :
       llvm::zip(attaches ? own : held, attaches ? held : own)) {
    if (!contains(has, part))
      return std::nullopt;
    places.push_back(part.size > 0 ? part.offset - has.offset : 0);
  }
  return places;
}

bool partitioning::isAlone(const WindowedDim &slid, bool attaches) {
  return slid.isExtended && !slid.axes.empty() && isLocal(slid, attaches) &&
         !placesOf(slid, attaches);
}
