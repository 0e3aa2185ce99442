//===- Facts.cpp - shard and replicate ------------------------------------===//
//
// Facts about parameters and inputs don't depend on their order: two that
// disagree are an error unless the later says `override`.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

using NamedDims = SmallVector<std::pair<std::string, unsigned>>;

/// `in` and `out` of what a linear op or a convolution uses as weight or bias.
static NamedDims channelDims(nn::ParameterOp parameter) {
  const NamedDims outFirst = {{"out", 0}, {"in", 1}};
  const NamedDims inFirst = {{"in", 0}, {"out", 1}};
  for (OpOperand &use : parameter->getUses()) {
    unsigned number = use.getOperandNumber();
    auto linear = dyn_cast<nn::LinearOp>(use.getOwner());
    if (number == 2 && (linear || isa<nn::ConvOp>(use.getOwner())))
      return {{"out", 0}};
    if (number != 1)
      continue;
    if (linear)
      return linear.getTransposed() ? inFirst : outFirst;
    if (isa<nn::ConvOp>(use.getOwner()))
      return outFirst;
    if (isa<nn::ConvTransposeOp>(use.getOwner()))
      return inFirst;
  }
  return {};
}

namespace {
/// Names below a place, as one pattern: a{b,c}.d.
struct NameTree {
  std::map<std::string, NameTree> children;

  void add(ArrayRef<StringRef> names) {
    if (names.empty())
      return;
    int64_t index;
    bool isIndex = !names.front().getAsInteger(10, index);
    children[isIndex ? "*" : names.front().str()].add(names.drop_front());
  }
  std::string text() const {
    // Names with the same below them are alternatives before it.
    std::map<std::string, std::vector<std::string>> alike;
    for (auto &[name, below] : children)
      alike[below.text()].push_back(name);
    std::vector<std::string> parts;
    for (auto &[below, names] : alike)
      parts.push_back((names.size() == 1 ? names.front()
                                         : "{" + llvm::join(names, ",") + "}") +
                      (below.empty() ? "" : "." + below));
    if (parts.empty())
      return "";
    return parts.size() == 1 ? parts.front()
                             : "{" + llvm::join(parts, ",") + "}";
  }
};
} // namespace

static void addPath(NameTree &tree, StringRef path) {
  SmallVector<StringRef> names;
  path.split(names, '.', -1, /*KeepEmpty=*/false);
  tree.add(names);
}

/// What stands in the place of `**` at the end of a pattern, so that it matches
/// these alone.
static std::string narrowPattern(ArrayRef<PathNode *> nodes,
                                 StringRef pattern) {
  if (!pattern.consume_back("**"))
    return "**";
  size_t depth = pattern.count('.');
  NameTree tree;
  for (PathNode *node : nodes) {
    StringRef path = node->path;
    for (size_t i = 0; i < depth; ++i)
      path = path.split('.').second;
    addPath(tree, path);
  }
  return tree.text();
}

static void collectParameters(PathNode *node,
                              SmallVectorImpl<PathNode *> &list) {
  if (node->parameter)
    list.push_back(node);
  for (auto &child : node->children)
    collectParameters(child.get(), list);
}

/// Of modules, what to write behind a pattern so that it names the parameters
/// in them that have the axis.
static std::vector<std::string> fittingBelow(ArrayRef<PathNode *> nodes,
                                             StringRef axis) {
  NameTree tree;
  for (PathNode *node : nodes) {
    SmallVector<PathNode *> parameters;
    collectParameters(node, parameters);
    for (PathNode *parameter : parameters) {
      bool isThere =
          llvm::any_of(channelDims(parameter->parameter),
                       [&](const auto &named) { return named.first == axis; });
      for (nn::DimAttr dim :
           nn::layoutOf(parameter->parameter.getResult()).getDims())
        for (nn::FactorAttr factor : dim.getFactors())
          isThere |= factor.getName().getValue() == axis;
      StringRef below = parameter->path;
      below.consume_front(node->path);
      if (isThere)
        addPath(tree, below);
    }
  }
  if (tree.children.empty())
    return {};
  return {tree.text()};
}

void Placer::readFact(Operation *directive, StringRef pattern, ArrayAttr over,
                      StringRef axis, ArrayAttr cuts, bool isOverride) {
  auto axes = readAxes(directive, over);
  std::vector<PathNode *> nodes = resolve(directive, pattern);
  if (!axes || nodes.empty())
    return;
  bool isShard = !axis.empty();
  bool any = false;
  size_t before = problems.size();
  SmallVector<PathNode *> fitting;
  for (PathNode *node : nodes) {
    any |= node->isElsewhere;
    Value value = node->parameter ? Value(node->parameter.getResult())
                                  : Value(node->input);
    if (!value)
      continue;
    any = true;
    Fact fact{directive, !isShard, *axes, {}, cuts};
    if (isShard) {
      NamedDims extra;
      if (node->parameter)
        extra = channelDims(node->parameter);
      auto ref =
          readFactor(directive, axis, nn::layoutOf(value), node->path, extra);
      if (!ref)
        continue;
      fitting.push_back(node);
      fact.ref = *ref;
    }
    if (!axes->empty())
      addFact(*node, value, std::move(fact), isOverride);
  }
  if (any && problems.size() > before && !fitting.empty())
    problems.at(before).lines.back().renames.push_back(
        {"**", narrowPattern(fitting, pattern)});
  if (any)
    return;
  PathNode &node = *nodes.front();
  Problem &problem = problems.addAt(
      directive,
      "'" + node.path + "' is no parameter and no input: " +
          (isShard ? "shard" : "replicate") + " places what is stored or given",
      node.path);
  if (isShard)
    for (std::string &suffix : fittingBelow(nodes, axis))
      problem.lines.back().renames.push_back({"", std::move(suffix)});
  std::vector<std::string> inside;
  for (const auto &child : node.children)
    if (child->parameter)
      inside.push_back("'" + child->path + "'");
  if (!inside.empty())
    problem.note("its parameters: " + llvm::join(inside, ", "));
  else if (isShard)
    problem.advise(
        "a computed value is split by a sync: sync " + node.path + " " +
        (node.hasRole(nn::ValueRole::Argument) ? "fwd_pre" : "fwd_post") +
        " slice axis " + axis.str() + " over " +
        cast<StringAttr>(over[0]).str());
}

std::string placement::axisText(unsigned axis, nn::MeshAttr mesh) {
  return mesh.getAxes()[axis].getName().str();
}

std::string placement::axesText(ArrayRef<unsigned> axes, nn::MeshAttr mesh) {
  std::vector<std::string> names;
  for (unsigned axis : axes)
    names.push_back(mesh.getAxes()[axis].getName().str());
  return names.size() == 1 ? names.front()
                           : "(" + llvm::join(names, ", ") + ")";
}

static std::string factText(const Fact &fact, Value value, nn::MeshAttr mesh) {
  if (fact.isReplicate)
    return "whole on " + axesText(fact.axes, mesh);
  return "split by " + factorName(nn::layoutOf(value), fact.ref) + " over " +
         overText(fact.axes, fact.cuts, mesh);
}

/// What two facts about one tensor are to each other.
enum class Relation { Apart, Agree, Disagree, Unordered };

static Relation relate(const Fact &a, const Fact &b) {
  bool shares = llvm::any_of(
      a.axes, [&](unsigned axis) { return llvm::is_contained(b.axes, axis); });
  if (!shares) {
    bool sameFactor = !a.isReplicate && !b.isReplicate && a.ref == b.ref;
    return sameFactor ? Relation::Unordered : Relation::Apart;
  }
  if (a.isReplicate && b.isReplicate)
    return Relation::Apart;
  bool isSame = a.isReplicate == b.isReplicate && a.ref == b.ref &&
                a.axes == b.axes && a.cuts == b.cuts;
  return isSame ? Relation::Agree : Relation::Disagree;
}

void Placer::addFact(PathNode &node, Value value, Fact fact, bool isOverride) {
  auto [it, isNew] = facts.try_emplace(value);
  if (isNew)
    factOrder.push_back(value);
  std::vector<Fact> &known = it->second;
  for (Fact &other : known) {
    Relation relation = relate(other, fact);
    if (relation == Relation::Agree)
      return;
    if (relation == Relation::Apart)
      continue;
    if (isOverride) {
      // What the later line says of an axis takes the earlier's place.
      llvm::erase_if(other.axes, [&](unsigned axis) {
        return llvm::is_contained(fact.axes, axis);
      });
      continue;
    }
    bool disagree = relation == Relation::Disagree;
    std::string quoted = "'" + node.path + "'";
    Problem &problem = problems.addAt(
        fact.directive,
        disagree ? "two facts about " + quoted +
                       " disagree: " + factText(fact, value, mesh) + " here, " +
                       factText(other, value, mesh) + " before"
                 : quoted + " is split by " +
                       factorName(nn::layoutOf(value), fact.ref) +
                       " in two lines, over " + axesText(fact.axes, mesh) +
                       " here and over " + axesText(other.axes, mesh) +
                       " before, and none says which is the major axis",
        node.path);
    problem.note(scheduleLine(other.directive->getLoc()),
                 "the other line is here");
    SmallVector<unsigned> both(other.axes.begin(), other.axes.end());
    both.append(fact.axes.begin(), fact.axes.end());
    if (disagree) {
      problem.note("keep one of them, or end the later one with 'override'");
      return;
    }
    problem.advise("write it in one line: shard " + node.path + " axis " +
                   axisName(nn::layoutOf(value), fact.ref) + " over " +
                   axesText(both, mesh));
    problem.lines.front().over = {axesText(both, mesh)};
    problem.lines.front().without = {definitionLine(other.directive->getLoc())};
    return;
  }
  llvm::erase_if(known, [](const Fact &other) { return other.axes.empty(); });
  known.push_back(std::move(fact));
}

static std::string pathOfFact(Value value) {
  if (auto parameter = value.getDefiningOp<nn::ParameterOp>())
    return parameter.getPath().str();
  return pathOf(value.getLoc()).str();
}

void Placer::applyFacts() {
  for (Value value : factOrder) {
    nn::LayoutAttr layout = nn::layoutOf(value);
    SmallVector<nn::SplitAttr> splits;
    for (const Fact &fact : facts[value]) {
      for (unsigned axis : fact.axes) {
        Origin origin;
        origin.kind = Origin::Kind::Fact;
        origin.directive = fact.directive;
        origins.set(value, axis, origin);
      }
      if (fact.isReplicate)
        continue;
      splits.append(lineCuts.splitsFor(fact.directive, fact.cuts, layout,
                                       fact.ref, fact.axes, pathOfFact(value)));
    }
    layout = layout.withPlacement(splits, {});
    value.setType(
        nn::withLayout(cast<RankedTensorType>(value.getType()), layout));
  }
}
