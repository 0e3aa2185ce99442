//===- Cost.cpp - what a placed function moves and computes ---------------===//
//
// An estimate from placed types alone, to compare schedules of one model: bytes
// as ring algorithms move them, products by the factors of each rule.
//
//===----------------------------------------------------------------------===//

#include "HaloReach.h"
#include "Locations.h"
#include "Placer.h"
#include "RuleSpace.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Ring.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Placement/Expect.h"
#include <cmath>

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// The elements that a rank has of each factor, in its largest part.
static SmallVector<double> localSizes(const nn::PlacementRule &rule,
                                      nn::MeshAttr mesh,
                                      const MeetResult &met) {
  SmallVector<double> sizes;
  for (const nn::PlacementRule::Factor &factor : rule.factors)
    sizes.push_back(factor.size);
  RuleSpace space(rule, mesh);
  for (auto [number, layout] : llvm::enumerate(met.sliced)) {
    if (layout.getSplits().empty())
      continue;
    SmallVector<Mismatch> ignored;
    RuleValue value = space.toRule(rule.operands[number], layout, ignored);
    for (auto [factor, cuts] : llvm::enumerate(value.nesting))
      if (!cuts.empty() && !value.ownCuts.test(factor))
        sizes[factor] = std::min<double>(sizes[factor],
                                         double(cuts.back().sizes.largest()));
  }
  return sizes;
}

/// Statistics are one number for each row, summed over the axis.
static int64_t statisticsBytes(Operation *op, nn::MeshAttr mesh,
                               unsigned axis) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t rows = localElements(nn::layoutOf(type), mesh);
  if (auto norm = dyn_cast<nn::NormalizeOp>(op)) {
    rows = localElements(nn::layoutOf(norm.getMean()), mesh);
  } else if (nn::LayoutAttr layout = nn::layoutOf(type);
             !layout.getDims().empty()) {
    int64_t last = layout.getDims().back().getSize();
    rows /= std::max<int64_t>(1, last / mesh.getAxes()[axis].getSize());
  }
  int64_t ranks = mesh.getAxes()[axis].getSize();
  return countStatistics(op) * 2 * rows * 4 * (ranks - 1) / ranks;
}

/// Of the keys and values that come round.
static int64_t ringBytes(Operation *op, nn::MeshAttr mesh) {
  int64_t bytes = 0, keys = nn::ringTraffic(op, mesh).keys;
  for (unsigned i = 1; keys > 0 && i < 3; ++i) {
    auto type = cast<RankedTensorType>(op->getOperand(i).getType());
    nn::LayoutAttr layout = nn::layoutOf(type);
    int64_t all = layout.getDims()[2].getSize();
    auto splits = layout.splitsOf(2, 0);
    int64_t largest = llvm::max_element(nn::partSizes(all, splits, mesh))[0];
    bytes += localElements(layout, mesh) / largest * keys *
             type.getElementType().getIntOrFloatBitWidth() / 8;
  }
  return bytes;
}

/// One tensor is exchanged, not keys and values.
bool Placer::isExchangedFrom(Operation *op, unsigned axis) const {
  std::string path = modelPath(op);
  return llvm::any_of(halos, [&](const Licence &licence) {
    auto line = dyn_cast<sched::AttentionOp>(licence.directive);
    return isAttention(op) && line && line.getFrom() &&
           llvm::is_contained(licence.axes, axis) && licence.covers(path);
  });
}

void Placer::countWork(Operation *op, const nn::PlacementRule &rule,
                       const MeetResult &met) {
  double work = 1;
  for (double size : localSizes(rule, mesh, met))
    work *= size;
  cost.work += work;
  cost.bytes += ringBytes(op, mesh);
  for (unsigned axis : met.statistics)
    cost.bytes += statisticsBytes(op, mesh, axis);
  for (auto [axis, factor] : met.halos)
    if (isa<nn::WindowedOp>(op))
      cost.bytes += receivedForHalo(op, rule, axis, factor, mesh) /
                    (isExchangedFrom(op, axis) ? 2 : 1);
}

std::optional<Cost> Placer::costOf() {
  if (!isInferred)
    return std::nullopt;
  Cost sum = cost;
  func.walk([&](Operation *op) {
    if (op->getNumOperands() > 0 &&
        !isa<nn::RedistributeOp, nn::HoldOp, nn::ExchangeOp>(op))
      for (Value result : op->getResults())
        sum.elements += double(localElements(nn::layoutOf(result), mesh));
  });
  func.walk([&](nn::RedistributeOp moved) {
    if (moved.getResult().use_empty())
      return;
    SmallVector<StringRef> axes;
    for (auto name : moved.getAxes().getAsRange<StringAttr>())
      axes.push_back(name.getValue());
    sum.bytes += sentBytes(moved.getKind(),
                           cast<RankedTensorType>(moved.getX().getType()),
                           cast<RankedTensorType>(moved.getType()), mesh, axes);
  });
  return sum;
}

/// Of an input it matters by which dim: each means another way to work.
static std::string inputText(Value value, FactorRef ref) {
  return "input " + std::to_string(cast<BlockArgument>(value).getArgNumber()) +
         " by " + std::to_string(ref.dim) + "." + std::to_string(ref.factor);
}

/// What splits a value as it is computed; a sum that is completed is no wish to
/// have it in parts.
static bool splitsValue(RedistributeKind kind) {
  return kind == RedistributeKind::Slice ||
         kind == RedistributeKind::ReduceScatter ||
         kind == RedistributeKind::AllToAll;
}

std::map<std::string, double> Placer::splitsAsked() const {
  constexpr double kOfInput = 1, kOfSyncs = 0.3;
  std::map<std::string, double> splits;
  double largest = 1, sum = 0;
  auto add = [&](const std::string &what, unsigned axis, double weight) {
    splits[what + " over " + axisText(axis, mesh)] = weight;
    sum += weight;
  };
  auto sizeOf = [](Value value) { // a vector is next to nothing
    return std::sqrt(
        double(cast<RankedTensorType>(value.getType()).getNumElements()));
  };
  for (Value value : factOrder)
    if (value.getDefiningOp<nn::ParameterOp>())
      largest = std::max(largest, sizeOf(value));
  for (const FsdpRequest &request : fsdpRequests)
    largest = std::max(largest,
                       sizeOf(nn::ParameterOp(request.parameter).getResult()));
  for (Value value : factOrder)
    for (const Fact &fact : facts.find(value)->second)
      for (unsigned axis : fact.axes)
        if (fact.isReplicate)
          continue;
        else if (auto parameter = value.getDefiningOp<nn::ParameterOp>())
          add(parameter.getPath().str(), axis, sizeOf(value) / largest);
        else
          add(inputText(value, fact.ref), axis, kOfInput);
  for (const FsdpRequest &request : fsdpRequests) {
    nn::ParameterOp parameter = request.parameter;
    for (unsigned axis : request.axes)
      add(parameter.getPath().str(), axis,
          sizeOf(parameter.getResult()) / largest);
  }
  std::set<std::string> syncs = syncSplits();
  for (const std::string &sync : syncs)
    splits[sync] = std::max(kOfInput, kOfSyncs * sum) / double(syncs.size());
  for (auto expect : const_cast<sched::ScheduleOp &>(schedule)
                         .getBody()
                         .getOps<sched::ExpectOp>()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    expect->print(stream);
    splits[text] = kOfInput;
  }
  return splits;
}

std::set<std::string> Placer::syncSplits() const {
  std::set<std::string> splits;
  for (auto &[value, list] : sites)
    for (const SyncSite &site : list)
      if (splitsValue(site.kind))
        for (unsigned axis : site.axes)
          splits.insert("at " + site.path + " over " + axisText(axis, mesh));
  return splits;
}
