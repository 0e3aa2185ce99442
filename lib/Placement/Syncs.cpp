//===- Syncs.cpp - where syncs apply and what they do ---------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/Expect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

std::vector<Value> Placer::sitesOf(const PathNode &node, StringRef moment,
                                   std::string &why) const {
  std::vector<Value> found;
  std::string quoted = "'" + node.path + "'";
  auto collect = [&](const PathNode &from, auto accepts) {
    for (nn::ValueOp value : from.values)
      if (accepts(value.getRole()))
        found.push_back(value.getResult());
  };
  auto isArgument = [](nn::ValueRole role) {
    return role == nn::ValueRole::Argument;
  };
  if (node.parameter) {
    why = quoted + " is a parameter: place it with shard or replicate";
    return found;
  }
  if (moment == "fwd_post") {
    collect(node, [&](nn::ValueRole role) { return !isArgument(role); });
    if (!found.empty())
      return found;
    why = quoted + (node.input || node.hasRole(nn::ValueRole::Argument)
                        ? " is an argument: its moment is fwd_pre"
                    : node.path.empty() ? " is the whole model: name its result"
                                        : " has no result to sync");
    return found;
  }
  if (node.input)
    found.push_back(node.input);
  collect(node, isArgument);
  if (!found.empty())
    return found;
  std::vector<std::string> names;
  for (const auto &child : node.children)
    if (child->hasRole(nn::ValueRole::Argument)) {
      names.push_back(child->path);
      if (names.size() == 1)
        collect(*child, isArgument);
    }
  if (names.size() == 1)
    return found;
  found.clear();
  if (names.size() > 1)
    why = quoted + " has several arguments, " + llvm::join(names, " and ") +
          ": name the one that is meant";
  else if (node.hasRole(nn::ValueRole::Binding))
    why = quoted + " is a binding: its moment is fwd_post";
  else
    why = quoted + " has no argument to sync";
  return found;
}

/// What to write for a sync that has no value to move.
void Placer::noteOtherTargets(Problem &problem, const PathNode &node,
                              StringRef pattern, const SyncSite &site) const {
  auto line = [&](StringRef path, StringRef moment) {
    std::string text = "sync " + path.str() + " " + moment.str() + " " +
                       stringifyRedistributeKind(site.kind).str();
    if (!site.axis.empty())
      text += " axis " + site.axis;
    if (!site.to.empty())
      text += " to " + site.to;
    return text + " over " + overText(site.axes, site.cuts, mesh);
  };
  if (node.parameter && !site.axis.empty())
    problem.advise("write instead: shard " + pattern.str() + " axis " +
                   site.axis + " over " + overText(site.axes, site.cuts, mesh));
  else if (node.parameter)
    problem.advise("write instead: replicate " + pattern.str() + " over " +
                   axesText(site.axes, mesh));
  else if (node.input || node.hasRole(nn::ValueRole::Argument))
    problem.advise("write instead: " + line(pattern, "fwd_pre"));
  else if (node.hasRole(nn::ValueRole::Binding))
    problem.advise("write instead: " + line(pattern, "fwd_post"));
  else if (site.moment == "fwd_pre")
    for (const auto &child : node.children)
      if (child->hasRole(nn::ValueRole::Argument)) {
        std::string name = StringRef(child->path).rsplit('.').second.str();
        problem.advise("write: " + line(pattern.str() + "." + name, "fwd_pre"));
        problem.lines.front().renames.push_back({"", name});
      }
}

void Placer::addSite(Operation *directive, StringRef pattern,
                     const SyncSite &site, bool isOverride) {
  std::vector<PathNode *> nodes = resolve(directive, pattern);
  std::string firstWhy;
  bool any = nodes.empty();
  for (PathNode *node : nodes) {
    std::string why;
    std::vector<Value> values = sitesOf(*node, site.moment, why);
    if (values.empty() && firstWhy.empty())
      firstWhy = why;
    any |= !values.empty() || node->isElsewhere;
    for (Value value : values) {
      auto &list = sites[value];
      if (isOverride)
        llvm::erase_if(list, [&](const SyncSite &other) {
          return llvm::any_of(other.axes, [&](unsigned axis) {
            return llvm::is_contained(site.axes, axis);
          });
        });
      SyncSite placed = site;
      placed.directive = directive;
      placed.path = node->path;
      if (auto named = value.getDefiningOp<nn::ValueOp>())
        placed.path = named.getPath().str();
      if (site.axes.empty())
        vacuous.push_back({collectiveOf(site.kind).str(), placed.path});
      else
        list.push_back(std::move(placed));
    }
  }
  if (any)
    return;
  Problem &problem = problems.addAt(directive, firstWhy, nodes.front()->path);
  noteOtherTargets(problem, *nodes.front(), pattern, site);
}

void Placer::readSync(sched::SyncOp sync) {
  if (sync.getMoment().starts_with("bwd"))
    return readBackwardSync(sync);
  auto axes = readAxes(sync, sync.getOver());
  if (!axes)
    return;
  SyncSite site;
  site.kind = sync.getKind();
  site.moment = sync.getMoment().str();
  site.axes = *axes;
  site.axis = sync.getAxis().value_or("").str();
  site.to = sync.getTo().value_or("").str();
  site.root = sync.getRoot();
  site.reduction = sync.getReduction().value_or("").str();
  site.cuts = sync.getCutsAttr();
  site.hook = sync.getHookAttr();
  addSite(sync, sync.getPattern(), site, sync.getIsOverride());
}

void Placer::readDefer(sched::DeferOp defer) {
  auto axes = readAxes(defer, defer.getOver());
  if (!axes)
    return;
  SyncSite site;
  site.moment = "fwd_post";
  site.axes = *axes;
  site.axis = defer.getAxis().str();
  site.kind = RedistributeKind::ReduceScatter;
  site.cuts = defer.getCutsAttr();
  addSite(defer, defer.getPattern(), site, defer.getIsOverride());
  site.kind = RedistributeKind::AllGather;
  site.cuts = {};
  addSite(defer, defer.getUntil(), site, defer.getIsOverride());
}

nn::LayoutAttr placement::syncTarget(nn::LayoutAttr layout,
                                     const SyncSite &site,
                                     std::optional<FactorRef> from,
                                     std::optional<FactorRef> to,
                                     nn::MeshAttr mesh, LineCuts &cuts) {
  if (site.kind == RedistributeKind::Broadcast)
    return layout;
  std::optional<FactorRef> target;
  if (site.kind == RedistributeKind::ReduceScatter ||
      site.kind == RedistributeKind::Slice ||
      site.kind == RedistributeKind::Repartition)
    target = from;
  if (site.kind == RedistributeKind::AllToAll)
    target = to;
  layout = wholeOver(layout, namesOf(site.axes, mesh));
  if (!target)
    return layout;
  return cutBy(layout, cuts.splitsFor(site.directive, site.cuts, layout,
                                      *target, site.axes, site.path));
}

Value Placer::redistribute(Value value, RedistributeKind kind,
                           ArrayRef<unsigned> axes, nn::LayoutAttr target,
                           Location loc, std::optional<int64_t> root,
                           DictionaryAttr hook) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfterValue(value);
  SmallVector<StringRef> names;
  for (unsigned axis : axes)
    names.push_back(mesh.getAxes()[axis].getName().getValue());
  OperationState state(loc, nn::RedistributeOp::getOperationName());
  state.addOperands(value);
  state.addTypes(
      nn::withLayout(cast<RankedTensorType>(value.getType()), target));
  state.addAttribute("kind",
                     nn::RedistributeKindAttr::get(builder.getContext(), kind));
  state.addAttribute("axes", builder.getStrArrayAttr(names));
  if (root)
    state.addAttribute("root", builder.getI64IntegerAttr(*root));
  if (hook)
    state.addAttribute("hook", hook);
  return builder.create(state)->getResult(0);
}

void Placer::applySyncs(Value value) {
  auto it = sites.find(value);
  if (it == sites.end())
    return;
  Value current = value;
  for (const SyncSite &site : it->second)
    current = applySync(current, site);
  synced[value] = current;
}

Value Placer::applySync(Value value, const SyncSite &site) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  std::optional<FactorRef> from, to;
  if (!site.axis.empty() &&
      !(from = readFactor(site.directive, site.axis, layout, site.path)))
    return value;
  if (!site.to.empty() &&
      !(to = readFactor(site.directive, site.to, layout, site.path)))
    return value;
  bool isSound = checkSync(value, site, from, to);
  if (isSound && site.kind == RedistributeKind::Repartition &&
      !cutsAnew(site, layout, *from))
    return value;
  nn::LayoutAttr target = syncTarget(layout, site, from, to, mesh, lineCuts);
  Location model =
      value.getDefiningOp() ? value.getDefiningOp()->getLoc() : value.getLoc();
  Value moved = redistribute(value, site.kind, site.axes, target,
                             madeBy(model, site.directive->getLoc()), site.root,
                             site.hook);
  value.replaceAllUsesExcept(moved, moved.getDefiningOp());
  if (isFree(value))
    freeValues.insert(moved);
  for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
    Origin origin;
    bool isMoved = llvm::is_contained(site.axes, axis);
    origin.kind = isMoved ? Origin::Kind::Sync : Origin::Kind::Through;
    origin.directive = isMoved ? site.directive : nullptr;
    origin.op = moved.getDefiningOp();
    origin.from = value;
    origins.set(moved, axis, origin);
  }
  return moved;
}
