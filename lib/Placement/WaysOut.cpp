//===- WaysOut.cpp - lines that might make placements meet ----------------===//
//
// Candidates for one mismatch, in the language of the schedule. Whether they
// do help is found out by trying them: see Remedies.cpp.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// The value that nn.value ops rename.
static Value aliased(Value value) {
  while (auto named = value.getDefiningOp<nn::ValueOp>())
    value = named.getX();
  return value;
}

bool Placer::syncPoint(Value value, WayOut &way) {
  while (auto moved = value.getDefiningOp<nn::RedistributeOp>())
    value = moved.getX();
  if (auto named = value.getDefiningOp<nn::ValueOp>()) {
    way.path = named.getPath().str();
    way.moment =
        named.getRole() == nn::ValueRole::Argument ? "fwd_pre" : "fwd_post";
    return true;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  way.moment = "fwd_pre";
  way.path = pathOf(argument.getLoc()).str();
  if (auto name = nn::argumentName(func, argument.getArgNumber()))
    way.path = name.getValue().str();
  return !way.path.empty();
}

static int64_t bytesOf(Value value, const WayOut &way, nn::LayoutAttr target,
                       nn::MeshAttr mesh) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<StringRef> names(way.over.begin(), way.over.end());
  std::optional<RedistributeKind> kind = nn::symbolizeRedistributeKind(way.op);
  return !kind ? 0
               : sentBytes(*kind, type, nn::withLayout(type, target), mesh,
                           names);
}

/// The layout with `axis` whole, or split by `ref`.
static nn::LayoutAttr without(nn::LayoutAttr layout, StringRef axis,
                              std::optional<FactorRef> ref = {}) {
  auto name = StringAttr::get(layout.getContext(), axis);
  layout = wholeOver(layout, name);
  return ref ? cutOver(layout, name, ref->dim, ref->factor) : layout;
}

/// The earliest and the latest named values of a chain that all hold the same.
static SmallVector<Value> namedOf(ArrayRef<Value> chain) {
  SmallVector<Value> named;
  for (Value value : chain) {
    Value source = value;
    while (auto moved = source.getDefiningOp<nn::RedistributeOp>())
      source = moved.getX();
    if (source.getDefiningOp<nn::ValueOp>() || isa<BlockArgument>(source))
      named.push_back(value);
  }
  return named;
}

void Placer::wayReduce(Problem &problem, Value value, unsigned axis) {
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  if (named.empty())
    return;
  WayOut way;
  if (!syncPoint(named.front(), way))
    return;
  way.op = "all_reduce";
  way.over = {axisText(axis)};
  nn::LayoutAttr layout = nn::layoutOf(named.front());
  way.bytes =
      bytesOf(named.front(), way, without(layout, axisText(axis)), mesh);
  problem.ways.push_back(way);

  // The same sum in two halves, around what lies between two named results.
  FactorRef ref;
  int64_t size = 0;
  for (unsigned d = 0; d + 1 < layout.getDims().size(); ++d)
    for (auto [f, factor] : llvm::enumerate(layout.getDims()[d].getFactors()))
      if (factor.getSize() > size && layout.splitsOf(d, f).empty() &&
          !axisName(layout, {d, unsigned(f)}).empty()) {
        size = factor.getSize();
        ref = {d, unsigned(f)};
      }
  if (size < mesh.getAxes()[axis].getSize())
    return;
  for (Value later : ArrayRef(named).drop_front()) {
    auto result = later.getDefiningOp<nn::ValueOp>();
    if (!result || result.getRole() == nn::ValueRole::Argument ||
        aliased(later) == aliased(named.front()))
      continue;
    WayOut defer = way;
    defer.kind = WayOut::Kind::Defer;
    defer.until = result.getPath().str();
    defer.axis = axisName(layout, ref);
    defer.op = "reduce_scatter";
    nn::LayoutAttr split = without(layout, axisText(axis), ref);
    defer.bytes = bytesOf(named.front(), defer, split, mesh);
    defer.op = "all_gather";
    nn::LayoutAttr lastLayout = nn::layoutOf(later);
    defer.bytes +=
        bytesOf(later, defer, without(lastLayout, axisText(axis)), mesh);
    defer.remark = "what lies between on a part each";
    problem.ways.push_back(defer);
    return;
  }
}

void Placer::wayGather(Problem &problem, Value value, unsigned axis) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  nn::SplitAttr split = layout.splitOver(axisText(axis));
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  if (!split || named.empty())
    return;
  // Close to the use: what comes before can go on split. A value that several
  // members read is gathered once, for all of them.
  Value point = named.back();
  for (Value other : llvm::reverse(named))
    if (aliased(other) == aliased(point) &&
        other.getType() == point.getType() &&
        other.getDefiningOp<nn::ValueOp>() &&
        other.getDefiningOp<nn::ValueOp>().getRole() == nn::ValueRole::Argument)
      point = other;
  WayOut way;
  if (!syncPoint(point, way))
    return;
  nn::LayoutAttr at = nn::layoutOf(point);
  split = at.splitOver(axisText(axis));
  FactorRef ref{unsigned(split.getDim()), unsigned(split.getFactor())};
  way.op = "all_gather";
  way.axis = axisName(at, ref);
  if (way.axis.empty())
    return;
  // What is nested inside has to be gathered as well.
  SmallVector<StringAttr> nested = nestedFrom(at, axisText(axis));
  for (StringAttr name : nested)
    way.over.push_back(name.str());
  way.bytes = bytesOf(point, way, wholeOver(at, nested), mesh);
  problem.ways.push_back(way);
}

void Placer::waySlice(Problem &problem, Value value, unsigned axis,
                      FactorRef ref, ArrayAttr cuts) {
  WayOut way;
  way.cuts = cuts;
  if (!syncPoint(value, way))
    return;
  way.op = "slice";
  way.axis = axisName(nn::layoutOf(value), ref);
  way.over = {axisText(axis)};
  if (!way.axis.empty())
    problem.ways.push_back(way);
}

/// Splits a value by the factor as it is already, but in these sizes.
void Placer::wayResize(Problem &problem, Value value, unsigned axis,
                       FactorRef ref, ArrayAttr cuts) {
  // In the line itself, if one shards the value over this axis alone.
  Value root = origins.chainOf(value, axis).front();
  auto shard =
      dyn_cast_or_null<sched::ShardOp>(origins.directiveOf(value, axis));
  nn::SplitAttr split = nn::layoutOf(root).splitOver(axisText(axis));
  if (shard && shard.getOver().size() == 1 && split) {
    FactorRef own{unsigned(split.getDim()), unsigned(split.getFactor())};
    WayOut way;
    way.kind = WayOut::Kind::Shard;
    if (auto parameter = root.getDefiningOp<nn::ParameterOp>())
      way.path = parameter.getPath().str();
    else
      syncPoint(root, way);
    way.axis = axisName(nn::layoutOf(root), own);
    way.over = {axisText(axis)};
    way.cuts = cuts;
    if (!way.path.empty() && !way.axis.empty())
      problem.ways.push_back(way);
  }
  size_t before = problem.ways.size();
  wayGather(problem, value, axis);
  if (problem.ways.size() == before)
    return;
  // Where it would be gathered, rows of others are enough.
  WayOut slice = problem.ways.back(), moved = slice;
  nn::LayoutAttr at = nn::layoutOf(value);
  if (moved.over.size() == 1 && at.splitOver(axisText(axis))) {
    SyncSite site;
    site.directive = schedule;
    site.kind = RedistributeKind::Repartition;
    moved.op = stringifyRedistributeKind(site.kind);
    site.axes = {axis};
    site.cuts = moved.cuts = cuts;
    moved.bytes =
        bytesOf(value, moved, syncTarget(at, site, ref, std::nullopt), mesh);
    problem.ways.insert(problem.ways.end() - 1, moved);
  }
  slice.op = "slice";
  slice.bytes = 0;
  slice.cuts = cuts;
  if (slice.over.size() == 1)
    problem.ways.back().others = {slice};
}

/// The slice that was offered last, and the sum that a linear makes of it.
void Placer::waySliceAndReduce(Problem &problem, Operation *op, unsigned axis) {
  if (!isa<nn::LinearOp>(op) || problem.ways.empty())
    return;
  WayOut slice = problem.ways.back(), reduce;
  reduce.path = modelPath(op);
  reduce.moment = "fwd_post";
  reduce.op = "all_reduce";
  reduce.over = {axisText(axis)};
  Value result = op->getResult(0);
  reduce.bytes = bytesOf(result, reduce,
                         without(nn::layoutOf(result), axisText(axis)), mesh);
  slice.others = {reduce};
  problem.ways.push_back(slice);
}

void Placer::wayExchange(Problem &problem, Value value, unsigned axis,
                         FactorRef ref, ArrayAttr cuts) {
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  WayOut way;
  way.cuts = cuts;
  if (named.empty() || !syncPoint(named.back(), way))
    return;
  nn::LayoutAttr at = nn::layoutOf(named.back());
  nn::SplitAttr split = at.splitOver(axisText(axis));
  if (!split || at.getDims().size() <= ref.dim ||
      at.getDims()[ref.dim].getFactors().size() <= ref.factor)
    return;
  way.op = "all_to_all";
  way.axis =
      axisName(at, {unsigned(split.getDim()), unsigned(split.getFactor())});
  way.to = axisName(at, ref);
  way.over = {axisText(axis)};
  way.bytes =
      bytesOf(named.back(), way, without(at, axisText(axis), ref), mesh);
  if (!way.axis.empty() && !way.to.empty())
    problem.ways.push_back(way);
}

void Placer::wayScatter(Problem &problem, Value value, unsigned axis,
                        FactorRef ref, ArrayAttr cuts) {
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  WayOut way;
  way.cuts = cuts;
  if (named.empty() || !syncPoint(named.front(), way))
    return;
  nn::LayoutAttr layout = nn::layoutOf(named.front());
  if (layout.getDims().size() <= ref.dim ||
      layout.getDims()[ref.dim].getFactors().size() <= ref.factor)
    return;
  way.op = "reduce_scatter";
  way.axis = axisName(layout, ref);
  way.over = {axisText(axis)};
  way.bytes =
      bytesOf(named.front(), way, without(layout, axisText(axis), ref), mesh);
  if (!way.axis.empty())
    problem.ways.push_back(way);
}

/// A reduce_scatter along each dim that other lines split over the axis.
void Placer::wayScatters(Problem &problem, Value value, unsigned axis) {
  std::set<std::string> split;
  schedule.walk([&](sched::SyncOp sync) {
    for (auto name : sync.getOver().getAsRange<StringAttr>())
      if (name.getValue() == axisText(axis))
        for (auto dim : {sync.getAxis(), sync.getTo()})
          split.insert(dim.value_or("").str());
  });
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  if (named.empty())
    return;
  nn::LayoutAttr layout = nn::layoutOf(named.front());
  for (auto [d, dim] : llvm::enumerate(layout.getDims()))
    for (unsigned f = 0; f < dim.getFactors().size(); ++f) {
      std::string name = axisName(layout, {unsigned(d), f});
      if (!name.empty() && split.count(name))
        wayScatter(problem, value, axis, {unsigned(d), f});
    }
}

WayOut Placer::replicated(StringRef path, ArrayRef<unsigned> axes) const {
  WayOut way;
  way.kind = WayOut::Kind::Replicate;
  way.path = path.str();
  for (unsigned axis : axes)
    way.over.push_back(axisText(axis));
  return way;
}

void Placer::wayReplicate(Problem &problem, ArrayRef<Value> values,
                          unsigned axis) {
  std::vector<WayOut> lines;
  for (Value value : values) {
    SmallVector<Value> chain = origins.chainOf(value, axis);
    if (chain.size() < 2 || !chain[1].getDefiningOp())
      return;
    // A weight, and the bias beside it.
    for (Value operand : chain[1].getDefiningOp()->getOperands()) {
      auto parameter = operand.getDefiningOp<nn::ParameterOp>();
      if (parameter && origins.of(operand, axis).kind == Origin::Kind::Fact)
        lines.push_back(replicated(parameter.getPath(), {axis}));
    }
  }
  if (lines.empty())
    return;
  WayOut all = lines.front();
  all.others.assign(lines.begin() + 1, lines.end());
  problem.ways.push_back(all);
}

void Placer::wayGatherAll(Problem &problem, ArrayRef<Value> values,
                          unsigned axis) {
  std::vector<WayOut> before = std::move(problem.ways);
  problem.ways.clear();
  for (Value value : values)
    wayGather(problem, value, axis);
  if (problem.ways.size() > 1) {
    WayOut all = problem.ways.front();
    all.others.assign(problem.ways.begin() + 1, problem.ways.end());
    problem.ways.assign(1, all);
  }
  problem.ways.insert(problem.ways.begin(), before.begin(), before.end());
}
