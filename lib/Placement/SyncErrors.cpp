//===- SyncErrors.cpp - what is wrong with a sync -------------------------===//
//
// Every primitive states what it needs on its axes: all_reduce and
// reduce_scatter a partial value, all_gather, all_to_all and repartition one
// that is split as they say, slice and broadcast one that is whole. Anything
// else would change the numbers or do nothing.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static std::string nameOf(const SyncSite &site) {
  return stringifyRedistributeKind(site.kind).str();
}

static std::string offer(const SyncSite &site, RedistributeKind kind,
                         StringRef axis, StringRef to, StringRef over) {
  std::string text = "write instead: sync " + site.path + " " + site.moment +
                     " " + stringifyRedistributeKind(kind).str();
  if (!axis.empty())
    text += " axis " + axis.str();
  if (!to.empty())
    text += " to " + to.str();
  bool cuts = site.axes.size() == 1 &&
              (kind == RedistributeKind::Slice ||
               kind == RedistributeKind::ReduceScatter ||
               kind == RedistributeKind::Repartition || !to.empty());
  return text + " over " + over.str() + (cuts ? cutsText(site.cuts) : "");
}

void Placer::reportSync(Value value, const SyncSite &site, unsigned axis,
                        std::optional<FactorRef> wanted, std::string text) {
  Problem &problem = problems.addAt(site.directive, std::move(text), site.path);
  problem.lines.clear();
  diagnosis.involveLine(problem, site.directive, value, axis);
  diagnosis.involve(problem, value, axis);
  diagnosis.noteCause(problem, value, axis);
  nn::LayoutAttr layout = nn::layoutOf(value);
  StringRef name = mesh.getAxes()[axis].getName().getValue();
  std::string wantedName = wanted ? axisName(layout, *wanted) : "";
  nn::SplitAttr split = layout.splitOver(name);
  std::string splitName =
      split ? axisName(layout,
                       {unsigned(split.getDim()), unsigned(split.getFactor())})
            : "";
  if (layout.partialOver(name)) {
    if (site.kind == RedistributeKind::Slice && !wantedName.empty())
      problem.advise(
          offer(site, RedistributeKind::ReduceScatter, wantedName, "", name));
    else
      problem.advise(offer(site, RedistributeKind::AllReduce, "", "", name));
  } else if (split) {
    bool isOther =
        wanted && !(FactorRef{unsigned(split.getDim()),
                              unsigned(split.getFactor())} == *wanted);
    if (site.kind == RedistributeKind::AllReduce ||
        site.kind == RedistributeKind::AllGather ||
        site.kind == RedistributeKind::Broadcast ||
        site.kind == RedistributeKind::AllToAll ||
        site.kind == RedistributeKind::Repartition) {
      if (!splitName.empty())
        problem.advise(
            offer(site, RedistributeKind::AllGather, splitName, "", name));
    } else if (isOther && !splitName.empty()) {
      problem.advise(
          offer(site, RedistributeKind::AllToAll, splitName, wantedName, name));
    } else {
      problem.advise("leave this line out");
    }
  } else if (site.kind == RedistributeKind::ReduceScatter &&
             !wantedName.empty()) {
    problem.advise(offer(site, RedistributeKind::Slice, wantedName, "", name));
  } else {
    problem.advise("leave this line out");
  }
}

/// "a sum that is still partial over tp", "a value that is split by seq over
/// tp", "a value that is whole on tp".
static std::string foundText(nn::LayoutAttr layout, StringRef axis) {
  if (auto partial = layout.partialOver(axis))
    return reductionName(partial) + " that is still partial over " + axis.str();
  if (auto split = layout.splitOver(axis))
    return "a value that is split by " +
           factorName(layout,
                      {unsigned(split.getDim()), unsigned(split.getFactor())}) +
           " over " + axis.str();
  return "a value that is whole on " + axis.str();
}

/// What a primitive needs, in words.
static std::string neededText(const SyncSite &site, nn::LayoutAttr layout,
                              std::optional<FactorRef> ref, StringRef axis) {
  if (site.kind == RedistributeKind::AllReduce ||
      site.kind == RedistributeKind::ReduceScatter)
    return "a sum that is partial over " + axis.str();
  if (site.kind == RedistributeKind::AllGather ||
      site.kind == RedistributeKind::AllToAll ||
      site.kind == RedistributeKind::Repartition)
    return "a value that is split by " + factorName(layout, *ref) + " over " +
           axis.str();
  return "a value that is whole on " + axis.str();
}

/// What is wrong with the reduction that a line says; empty without one, or if
/// it is that of the partial value.
static std::string otherReduction(const SyncSite &site, nn::LayoutAttr layout,
                                  StringRef axis) {
  nn::PartialAttr partial = layout.partialOver(axis);
  if (site.reduction.empty() || !partial ||
      site.reduction == nn::stringifyReduction(partial.getReduction()))
    return "";
  return nameOf(site) + " at '" + site.path + "' has op " + site.reduction +
         ", and gets " + reductionName(partial) +
         " that is still partial over " + axis.str();
}

bool Placer::checkSync(Value value, const SyncSite &site,
                       std::optional<FactorRef> from,
                       std::optional<FactorRef> to) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  std::string quoted = "'" + site.path + "'";
  bool wantsPartial = site.kind == RedistributeKind::AllReduce ||
                      site.kind == RedistributeKind::ReduceScatter;
  bool wantsSplit = site.kind == RedistributeKind::AllGather ||
                    site.kind == RedistributeKind::AllToAll ||
                    site.kind == RedistributeKind::Repartition;
  for (unsigned axis : site.axes) {
    StringRef name = mesh.getAxes()[axis].getName().getValue();
    nn::SplitAttr split = layout.splitOver(name);
    bool isPartial = bool(layout.partialOver(name));
    bool isRight = split && wantsSplit && from &&
                   FactorRef{unsigned(split.getDim()),
                             unsigned(split.getFactor())} == *from;
    if (std::string other = otherReduction(site, layout, name);
        wantsPartial && !other.empty()) {
      reportSync(value, site, axis, from, other);
      return false;
    }
    if (wantsPartial ? isPartial : wantsSplit ? isRight : !split && !isPartial)
      continue;
    bool isIdle = (site.kind == RedistributeKind::AllReduce ||
                   site.kind == RedistributeKind::AllGather) &&
                  !split && !isPartial;
    isIdle |= site.kind == RedistributeKind::Slice && split && from &&
              FactorRef{unsigned(split.getDim()),
                        unsigned(split.getFactor())} == *from;
    std::string text = isIdle ? nameOf(site) + " at " + quoted +
                                    " has no effect: it gets " +
                                    foundText(layout, name) + " already"
                              : nameOf(site) + " at " + quoted + " needs " +
                                    neededText(site, layout, from, name) +
                                    ", and gets " + foundText(layout, name);
    reportSync(value, site, axis, from, text);
    return false;
  }
  if (site.kind == RedistributeKind::AllToAll && from && to && *from == *to) {
    problems
        .addAt(site.directive,
               "all_to_all at " + quoted + " has no effect: it moves " +
                   factorName(layout, *from) + " to itself",
               site.path)
        .advise("leave this line out");
    return false;
  }
  if (site.root && site.kind == RedistributeKind::Broadcast) {
    int64_t ranks = 1;
    for (unsigned axis : site.axes)
      ranks *= mesh.getAxes()[axis].getSize();
    if (*site.root < 0 || *site.root >= ranks) {
      problems.addAt(site.directive,
                     "broadcast at " + quoted + " has root " +
                         std::to_string(*site.root) + ", expected 0 to " +
                         std::to_string(ranks - 1),
                     site.path);
      return false;
    }
  }
  if (!wantsSplit)
    return true;
  // Only the minor axes of a nesting can be joined by themselves.
  SmallVector<nn::SplitAttr> nested = layout.splitsOf(from->dim, from->factor);
  ArrayRef<nn::SplitAttr> minor = ArrayRef(nested).take_back(site.axes.size());
  for (nn::SplitAttr split : minor)
    if (!llvm::is_contained(site.axes,
                            unsigned(mesh.getIndex(split.getAxis())))) {
      problems
          .addAt(site.directive,
                 nameOf(site) + " at " + quoted +
                     (site.kind == RedistributeKind::Repartition ? " cuts "
                                                                 : " joins ") +
                     factorName(layout, *from) + " over a major axis, while " +
                     split.getAxis().str() + " still splits it inside",
                 site.path)
          .note("list " + split.getAxis().str() +
                " as well, or sync over it before");
      return false;
    }
  if (site.kind != RedistributeKind::AllToAll &&
      site.kind != RedistributeKind::Repartition)
    return true;
  return checkOrder(site, minor);
}

/// Of a repartition; a match that has these parts already is left as it is.
bool Placer::cutsAnew(const SyncSite &site, nn::LayoutAttr layout,
                      FactorRef ref) {
  nn::LayoutAttr target =
      syncTarget(layout, site, ref, std::nullopt, mesh, lineCuts);
  if (haveOtherOrders(layout, target.splitsOf(ref.dim, ref.factor))) {
    problems
        .addAt(site.directive,
               "not supported yet: repartition at '" + site.path +
                   "' changes the order of " + factorName(layout, ref) +
                   ", of which ranks have " + nn::describePlacement(layout),
               site.path)
        .note("all_gather it, and slice what that gives");
    return false;
  }
  int64_t extent = layout.getDims()[ref.dim].getFactors()[ref.factor].getSize();
  auto sizesOf = [&](nn::LayoutAttr of) {
    return nn::partSizes(extent, of.splitsOf(ref.dim, ref.factor), mesh);
  };
  SmallVector<int64_t> sizes = sizesOf(layout);
  bool isOther = sizes != sizesOf(target);
  Repartition &repartition = repartitions[site.directive];
  repartition.changesAny |= isOther;
  if (!isOther)
    repartition.idle.push_back(
        {site.path, "repartition at '" + site.path +
                        "' has no effect: " + factorName(layout, ref) +
                        " comes in parts of " + partsList(sizes) + " already"});
  return isOther;
}

void Placer::checkRepartitions() {
  for (auto &[directive, repartition] : repartitions)
    if (!repartition.changesAny)
      for (auto &[path, text] : repartition.idle)
        problems.addAt(directive, text, path).note("leave this line out");
}

/// Parts are handed on in the order that they were cut in.
bool Placer::checkOrder(const SyncSite &site, ArrayRef<nn::SplitAttr> minor) {
  SmallVector<unsigned> found;
  for (nn::SplitAttr split : minor)
    found.push_back(unsigned(mesh.getIndex(split.getAxis())));
  if (found == site.axes)
    return true;
  problems
      .addAt(site.directive,
             nameOf(site) + " at '" + site.path + "' lists " +
                 axesText(site.axes, mesh) +
                 ", and gets a value that is split over " +
                 axesText(found, mesh),
             site.path)
      .advise(
          offer(site, site.kind, site.axis, site.to, axesText(found, mesh)));
  return false;
}
