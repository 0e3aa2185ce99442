//===- RankClasses.cpp - which ranks have the same local shapes -----------===//
//
// Work is per distinct split and coordinate: each split that is uneven numbers
// its coordinates by size, and a rank's class is the vector of those numbers.
// Of parts in runs the lengths of runs count. Where sizes are stated, the parts
// beside the rank's own count too: ranks of one class join the same parts, in
// the same order. And edges lead to the same places of what the rank holds.
//
//===----------------------------------------------------------------------===//

#include "RankClasses.h"
#include "Ring.h"
#include "WindowedDims.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

namespace {

/// A factor that is split in stated sizes.
struct StatedSizes {
  nn::LayoutAttr layout;
  int64_t dim, factor;
};

/// The uneven splits of a function.
class UnevenSplits {
public:
  explicit UnevenSplits(Shares &shares) : shares(shares) {}

  LogicalResult add(Value value);
  /// What the windows of an operation read.
  void addHeld(nn::WindowedOp op);
  /// Where one part of what ranks hold stands in another.
  void addShift(Value x, Value result);
  /// What an attention receives in each hop.
  void addHops(llvm::ArrayRef<Hop> hops);
  /// The same for ranks of one class.
  SmallVector<int64_t> keyOf(int64_t rank, ArrayRef<int64_t> coordinates);

private:
  LogicalResult addFactor(Value value, int64_t dim, int64_t factor);
  LogicalResult checkSizes(Value value, ArrayRef<nn::SplitAttr> splits);
  /// Numbers the ranks by where their edges lead.
  void addEdges(nn::WindowedOp op, const WindowedDim &slid);

  Shares &shares;
  llvm::DenseSet<Type> seen;
  llvm::SetVector<spmd::TableAttr> sizes;
  /// Offsets in an order, and where the runs begin: how much of the first one
  /// is another rank's.
  llvm::SetVector<std::pair<spmd::TableAttr, spmd::TableAttr>> runs;
  std::vector<StatedSizes> stated; // over several axes, or held
  /// By the list of edges, and where it and its nodes are cut.
  std::map<SmallVector<const void *>, SmallVector<int64_t>> edges;
};

} // namespace

/// Every part of those that the axes make has a size.
LogicalResult UnevenSplits::checkSizes(Value value,
                                       ArrayRef<nn::SplitAttr> splits) {
  size_t parts = 1;
  for (nn::SplitAttr split : splits) {
    parts *= shares.getMesh().getSize(split.getAxis().getValue());
    if (!split.getSizes().empty() && split.getSizes().size() != parts)
      return emitError(value.getLoc())
             << "axis " << split.getAxis() << " makes " << parts
             << " parts, and lists " << split.getSizes().size() << " sizes";
  }
  return success();
}

SmallVector<int64_t> UnevenSplits::keyOf(int64_t rank,
                                         ArrayRef<int64_t> coordinates) {
  SmallVector<int64_t> key;
  for (spmd::TableAttr table : sizes)
    key.push_back(table.at(shares.getMesh(), coordinates));
  for (auto [offset, begin] : runs)
    key.push_back(offset.at(shares.getMesh(), coordinates) -
                  begin.at(shares.getMesh(), coordinates));
  for (const auto &[list, numbers] : edges)
    key.push_back(numbers[rank]);
  for (const StatedSizes &split : stated) {
    size_t axes = shares.splitsOf(split.layout, split.dim, split.factor).size();
    for (size_t inner = 1; inner < axes; ++inner) {
      Share share = shares.inside(split.layout, split.dim, split.factor, inner,
                                  coordinates);
      for (spmd::TableAttr table : {share.size, share.offset}) {
        key.push_back(table.getValues().size());
        llvm::append_range(key, table.getValues());
      }
    }
  }
  return key;
}

LogicalResult UnevenSplits::addFactor(Value value, int64_t dim,
                                      int64_t factor) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  AxisList axes = shares.axesOf(layout, dim, factor);
  SmallVector<nn::SplitAttr> splits = layout.splitsOf(dim, factor);
  if (failed(checkSizes(value, splits)))
    return failure();
  Share share = shares.of(layout, dim, factor);
  if (!share.size.isConstant())
    sizes.insert(share.size);
  if (spmd::TableAttr held = shares.held(layout, dim, factor).size;
      !held.isConstant())
    sizes.insert(held);
  if (share.runs) {
    runs.insert({share.offset, share.runs.getBegin()});
    sizes.insert(share.runs.getLength());
  }
  bool areStated = llvm::any_of(
      splits, [](nn::SplitAttr split) { return !split.getSizes().empty(); });
  if ((areStated || layout.heldOf(dim, factor)) && axes.size() > 1)
    stated.push_back({layout, dim, factor});
  return success();
}

void UnevenSplits::addEdges(nn::WindowedOp op, const WindowedDim &slid) {
  nn::MeshAttr mesh = shares.getMesh();
  Share made = shares.of(nn::layoutOf(op.getWindowed()), slid.dim, 0);
  auto [entry, isNew] = edges.try_emplace(
      {slid.window.lookup->indices.data(), made.offset.getAsOpaquePointer(),
       made.size.getAsOpaquePointer(), slid.own.offset.getAsOpaquePointer(),
       slid.held.offset.getAsOpaquePointer(),
       slid.held.rows ? slid.held.rows.getAsOpaquePointer() : nullptr});
  if (!isNew)
    return;
  std::map<SmallVector<int64_t>, int64_t> numbers;
  for (int64_t rank = 0, e = mesh.getRankCount(); rank < e; ++rank) {
    auto list = localEdges(op, slid, shares, spmd::coordinatesOf(mesh, rank));
    entry->second.push_back(
        numbers.try_emplace(std::move(list), numbers.size()).first->second);
  }
}

void UnevenSplits::addHeld(nn::WindowedOp op) {
  for (const WindowedDim &slid : windowedDims(op, shares)) {
    if (!slid.held.size.isConstant())
      sizes.insert(slid.held.size);
    if (slid.isInner && !slid.own.size.isConstant())
      sizes.insert(slid.own.size);
    if (spmd::TableAttr shift = shiftOf(slid);
        !shift.isConstant() &&
        (slid.isInner || isAlone(slid, /*attaches=*/true) ||
         isAlone(slid, /*attaches=*/false)))
      sizes.insert(shift);
    if (slid.window.lookup)
      addEdges(op, slid);
  }
}

void UnevenSplits::addShift(Value x, Value result) {
  nn::LayoutAttr from = nn::layoutOf(x), to = nn::layoutOf(result);
  for (auto [dim, whole] : llvm::enumerate(from.getDims()))
    for (size_t factor = 0; factor < whole.getFactors().size(); ++factor) {
      if (from.heldOf(dim, factor) == to.heldOf(dim, factor))
        continue;
      SmallVector<int64_t> shifts;
      for (auto [has, gets] :
           llvm::zip_equal(nn::heldParts(from, dim, factor, shares.getMesh()),
                           nn::heldParts(to, dim, factor, shares.getMesh())))
        shifts.push_back(gets.offset - has.offset);
      auto shift = spmd::TableAttr::simplified(
          x.getContext(), shares.axesOf(from, dim, factor), shifts);
      if (!shift.isConstant())
        sizes.insert(shift);
    }
}

void UnevenSplits::addHops(ArrayRef<Hop> hops) {
  for (const Hop &hop : hops) {
    size_t most = 0;
    for (const nn::RunList &list : hop.held)
      most = std::max(most, list.size());
    for (size_t number = 0; number < most; ++number) {
      SmallVector<int64_t> lengths;
      for (const nn::RunList &list : hop.held)
        lengths.push_back(number < list.size() ? list[number].size : 0);
      auto table = spmd::TableAttr::simplified(hop.slid.own.offset.getContext(),
                                               hop.slid.axes, lengths);
      if (!table.isConstant())
        sizes.insert(table);
    }
  }
}

LogicalResult UnevenSplits::add(Value value) {
  if (!seen.insert(value.getType()).second)
    return success();
  nn::LayoutAttr layout = nn::layoutOf(value);
  if (!layout)
    return emitError(value.getLoc())
           << "expected a tensor with a layout, found " << value.getType();
  llvm::SmallSetVector<std::pair<int64_t, int64_t>, 4> places;
  for (nn::SplitAttr split : layout.getSplits())
    places.insert({split.getDim(), split.getFactor()});
  for (auto [dim, factor] : places)
    if (failed(addFactor(value, dim, factor)))
      return failure();
  return success();
}

FailureOr<std::vector<RankClass>>
partitioning::findRankClasses(nn::FuncOp func, Shares &shares) {
  UnevenSplits splits(shares);
  for (BlockArgument argument : func.getArguments())
    if (failed(splits.add(argument)))
      return failure();
  for (Operation &op : func.getBody().front()) {
    for (Value result : op.getResults())
      if (failed(splits.add(result)))
        return failure();
    if (auto windowed = dyn_cast<nn::WindowedOp>(op))
      splits.addHeld(windowed);
    if (auto held = dyn_cast<nn::HoldOp>(op))
      splits.addShift(held.getX(), held.getResult());
    if (auto exchange = dyn_cast<nn::ExchangeOp>(op);
        exchange &&
        isAlone(exchangedDim(exchange, shares), !exchange.getBack()))
      splits.addShift(exchange.getXs().front(), exchange.getMade().front());
    if (auto attention = dyn_cast<nn::AttentionOp>(op))
      splits.addHops(ringHops(attention, shares));
    if (auto attention = dyn_cast<nn::AttentionGradOp>(op))
      splits.addHops(ringHops(attention, shares));
  }

  nn::MeshAttr mesh = shares.getMesh();
  std::map<SmallVector<int64_t>, size_t> numbers;
  std::vector<RankClass> classes;
  for (int64_t rank = 0, e = mesh.getRankCount(); rank < e; ++rank) {
    SmallVector<int64_t> coordinates = spmd::coordinatesOf(mesh, rank);
    auto [it, isNew] =
        numbers.try_emplace(splits.keyOf(rank, coordinates), classes.size());
    if (isNew)
      classes.push_back({{}, coordinates});
    classes[it->second].ranks.push_back(rank);
  }
  return classes;
}
