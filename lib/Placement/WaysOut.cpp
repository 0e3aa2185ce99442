//===- WaysOut.cpp - lines that might make placements meet ----------------===//

#include "WaysOut.h"
#include "HaloReach.h"
#include "Locations.h"
#include "Relayout.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
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

bool placement::syncPoint(nn::FuncOp func, Value value, WayOut &way) {
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

void WaysOut::reduce(Problem &problem, Value value, unsigned axis) {
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  if (named.empty())
    return;
  WayOut way;
  if (!syncPoint(func, named.front(), way))
    return;
  way.op = "all_reduce";
  way.over = {axisText(axis, mesh)};
  nn::LayoutAttr layout = nn::layoutOf(named.front());
  way.bytes =
      bytesOf(named.front(), way, without(layout, axisText(axis, mesh)), mesh);
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
    nn::LayoutAttr split = without(layout, axisText(axis, mesh), ref);
    defer.bytes = bytesOf(named.front(), defer, split, mesh);
    defer.op = "all_gather";
    nn::LayoutAttr lastLayout = nn::layoutOf(later);
    defer.bytes +=
        bytesOf(later, defer, without(lastLayout, axisText(axis, mesh)), mesh);
    defer.remark = "what lies between on a part each";
    problem.ways.push_back(defer);
    return;
  }
}

void WaysOut::complete(Problem &problem, Value value, unsigned axis) {
  const Origin &root = origins.rootOf(value, axis);
  if (root.kind != Origin::Kind::Contracted || !isa<nn::ReduceOp>(root.op))
    return;
  WayOut way;
  way.kind = WayOut::Kind::Statistics;
  way.path = modelPath(root.op);
  way.over = {axisText(axis, mesh)};
  if (way.path.empty())
    return;
  auto type = cast<RankedTensorType>(root.op->getResult(0).getType());
  StringRef name = way.over.front();
  way.bytes = sentBytes(RedistributeKind::AllReduce, type,
                        nn::withLayout(type, without(nn::layoutOf(type), name)),
                        mesh, name);
  problem.ways.push_back(way);
}

void WaysOut::gather(Problem &problem, Value value, unsigned axis) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  nn::SplitAttr split = layout.splitOver(axisText(axis, mesh));
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
  if (!syncPoint(func, point, way))
    return;
  nn::LayoutAttr at = nn::layoutOf(point);
  split = at.splitOver(axisText(axis, mesh));
  FactorRef ref{unsigned(split.getDim()), unsigned(split.getFactor())};
  way.op = "all_gather";
  way.axis = axisName(at, ref);
  if (way.axis.empty())
    return;
  // What is nested inside has to be gathered as well.
  SmallVector<StringAttr> nested = nestedFrom(at, axisText(axis, mesh));
  for (StringAttr name : nested)
    way.over.push_back(name.str());
  way.bytes = bytesOf(point, way, wholeOver(at, nested), mesh);
  problem.ways.push_back(way);
}

void WaysOut::slice(Problem &problem, Value value, unsigned axis, FactorRef ref,
                    ArrayAttr cuts) {
  WayOut way;
  way.cuts = cuts;
  if (!syncPoint(func, value, way))
    return;
  way.op = "slice";
  way.axis = axisName(nn::layoutOf(value), ref);
  way.over = {axisText(axis, mesh)};
  if (!way.axis.empty())
    problem.ways.push_back(way);
}

/// Splits a value by the factor as it is already, but in these sizes.
void WaysOut::resize(Problem &problem, Value value, unsigned axis,
                     FactorRef ref, ArrayAttr cuts) {
  // In the line itself, if one shards the value over this axis alone.
  Value root = origins.chainOf(value, axis).front();
  auto shard =
      dyn_cast_or_null<sched::ShardOp>(origins.directiveOf(value, axis));
  nn::SplitAttr split = nn::layoutOf(root).splitOver(axisText(axis, mesh));
  if (shard && shard.getOver().size() == 1 && split) {
    FactorRef own{unsigned(split.getDim()), unsigned(split.getFactor())};
    WayOut way;
    way.kind = WayOut::Kind::Shard;
    if (auto parameter = root.getDefiningOp<nn::ParameterOp>())
      way.path = parameter.getPath().str();
    else
      syncPoint(func, root, way);
    way.axis = axisName(nn::layoutOf(root), own);
    way.over = {axisText(axis, mesh)};
    way.cuts = cuts;
    if (!way.path.empty() && !way.axis.empty())
      problem.ways.push_back(way);
  }
  size_t before = problem.ways.size();
  gather(problem, value, axis);
  if (problem.ways.size() == before)
    return;
  // Where it would be gathered, rows of others are enough.
  WayOut slice = problem.ways.back(), moved = slice;
  nn::LayoutAttr at = nn::layoutOf(value);
  if (moved.over.size() == 1 && at.splitOver(axisText(axis, mesh))) {
    SyncSite site;
    site.directive = schedule;
    site.kind = RedistributeKind::Repartition;
    moved.op = stringifyRedistributeKind(site.kind);
    site.axes = {axis};
    site.cuts = moved.cuts = cuts;
    moved.bytes =
        bytesOf(value, moved,
                syncTarget(at, site, ref, std::nullopt, mesh, lineCuts), mesh);
    problem.ways.insert(problem.ways.end() - 1, moved);
  }
  slice.op = "slice";
  slice.bytes = 0;
  slice.cuts = cuts;
  if (slice.over.size() == 1)
    problem.ways.back().others = {slice};
}

/// The slice that was offered last, and the sum that a linear makes of it.
void WaysOut::sliceAndReduce(Problem &problem, Operation *op, unsigned axis) {
  if (!isa<nn::LinearOp>(op) || problem.ways.empty())
    return;
  WayOut slice = problem.ways.back(), reduce;
  reduce.path = modelPath(op);
  reduce.moment = "fwd_post";
  reduce.op = "all_reduce";
  reduce.over = {axisText(axis, mesh)};
  Value result = op->getResult(0);
  reduce.bytes =
      bytesOf(result, reduce,
              without(nn::layoutOf(result), axisText(axis, mesh)), mesh);
  slice.others = {reduce};
  problem.ways.push_back(slice);
}

void WaysOut::exchange(Problem &problem, Value value, unsigned axis,
                       FactorRef ref, ArrayAttr cuts) {
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  WayOut way;
  way.cuts = cuts;
  if (named.empty() || !syncPoint(func, named.back(), way))
    return;
  nn::LayoutAttr at = nn::layoutOf(named.back());
  nn::SplitAttr split = at.splitOver(axisText(axis, mesh));
  if (!split || at.getDims().size() <= ref.dim ||
      at.getDims()[ref.dim].getFactors().size() <= ref.factor)
    return;
  way.op = "all_to_all";
  way.axis =
      axisName(at, {unsigned(split.getDim()), unsigned(split.getFactor())});
  way.to = axisName(at, ref);
  way.over = {axisText(axis, mesh)};
  way.bytes =
      bytesOf(named.back(), way, without(at, axisText(axis, mesh), ref), mesh);
  if (!way.axis.empty() && !way.to.empty())
    problem.ways.push_back(way);
}

void WaysOut::scatter(Problem &problem, Value value, unsigned axis,
                      FactorRef ref, ArrayAttr cuts) {
  SmallVector<Value> named = namedOf(origins.chainOf(value, axis));
  WayOut way;
  way.cuts = cuts;
  if (named.empty() || !syncPoint(func, named.front(), way))
    return;
  nn::LayoutAttr layout = nn::layoutOf(named.front());
  if (layout.getDims().size() <= ref.dim ||
      layout.getDims()[ref.dim].getFactors().size() <= ref.factor)
    return;
  way.op = "reduce_scatter";
  way.axis = axisName(layout, ref);
  way.over = {axisText(axis, mesh)};
  way.bytes = bytesOf(named.front(), way,
                      without(layout, axisText(axis, mesh), ref), mesh);
  if (!way.axis.empty())
    problem.ways.push_back(way);
}

/// A reduce_scatter along each dim that other lines split over the axis.
void WaysOut::scatters(Problem &problem, Value value, unsigned axis) {
  std::set<std::string> split;
  schedule.walk([&](sched::SyncOp sync) {
    for (auto name : sync.getOver().getAsRange<StringAttr>())
      if (name.getValue() == axisText(axis, mesh))
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
        scatter(problem, value, axis, {unsigned(d), f});
    }
}

/// A line that keeps a parameter whole.
static WayOut replicated(StringRef path, const std::string &axis) {
  WayOut way;
  way.kind = WayOut::Kind::Replicate;
  way.path = path.str();
  way.over = {axis};
  return way;
}

void WaysOut::replicate(Problem &problem, ArrayRef<Value> values,
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
        lines.push_back(replicated(parameter.getPath(), axisText(axis, mesh)));
    }
  }
  if (lines.empty())
    return;
  WayOut all = lines.front();
  all.others.assign(lines.begin() + 1, lines.end());
  problem.ways.push_back(all);
}

void WaysOut::gatherAll(Problem &problem, ArrayRef<Value> values,
                        unsigned axis) {
  std::vector<WayOut> before = std::move(problem.ways);
  problem.ways.clear();
  for (Value value : values)
    gather(problem, value, axis);
  if (problem.ways.size() > 1) {
    WayOut all = problem.ways.front();
    all.others.assign(problem.ways.begin() + 1, problem.ways.end());
    problem.ways.assign(1, all);
  }
  problem.ways.insert(problem.ways.begin(), before.begin(), before.end());
}

void WaysOut::halo(Problem &problem, Operation *op,
                   const nn::PlacementRule &rule, const Mismatch &mismatch) {
  WayOut way;
  way.kind = WayOut::Kind::Halo;
  way.path = modelPath(op);
  way.axis = axisWord(rule.factors[mismatch.factor].name,
                      dimOf(rule, mismatch.factor));
  way.over = {axisText(mismatch.axis, mesh)};
  way.bytes = haloBytes(cast<nn::WindowedOp>(op), rule, mismatch, mesh);
  if (!way.path.empty()) // a function in the model itself has no other name
    problem.ways.push_back(way);
  way.path = "**"; // where other windows slide over that dim as well
  problem.ways.push_back(way);
}

void WaysOut::ofSum(Problem &problem, Value value, unsigned axis) {
  reduce(problem, value, axis);
  complete(problem, value, axis);
  beforeSum(problem, value, axis);
}
