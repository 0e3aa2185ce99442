//===- Explain.cpp - why a value has its placement ------------------------===//

#include "ExplainAxes.h"
#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static std::string placementText(nn::LayoutAttr layout, StringRef axis) {
  if (auto split = layout.splitOver(axis))
    return "split by " + factorName(layout, {unsigned(split.getDim()),
                                             unsigned(split.getFactor())});
  if (auto partial = layout.partialOver(axis))
    return ("partial " + nn::stringifyReduction(partial.getReduction())).str();
  return "whole";
}

static std::string pathOfValue(Value value) {
  if (Operation *op = value.getDefiningOp())
    return modelPath(op);
  return pathOf(value.getLoc()).str();
}

static std::string causeText(const Origin &root, Value first) {
  std::string at = " at '" + pathOfValue(first) + "'";
  switch (root.kind) {
  case Origin::Kind::None:
  case Origin::Kind::Through:
    return "no line of the schedule places it";
  case Origin::Kind::Fact:
    return (isa<sched::ShardOp>(root.directive) ? "from the shard of '"
                                                : "from the replicate of '") +
           pathOfValue(first) + "'";
  case Origin::Kind::Sync: {
    auto moved = cast<nn::RedistributeOp>(root.op);
    return "from the " + stringifyRedistributeKind(moved.getKind()).str() + at;
  }
  case Origin::Kind::Contracted:
    return "since" + at.substr(3) + " sums over " +
           (root.factor.empty() ? "a split dim" : root.factor) +
           ", which is split";
  case Origin::Kind::Repaired:
    return "by auto reshard" + at;
  }
  return "";
}

std::vector<ExplainedAxis> placement::axesOf(nn::LayoutAttr layout,
                                             nn::MeshAttr mesh) {
  std::vector<ExplainedAxis> axes;
  for (nn::MeshAxisAttr attr : mesh.getAxes()) {
    ExplainedAxis explained;
    explained.axis = attr.getName().str();
    explained.placement = placementText(layout, attr.getName().getValue());
    if (auto split = layout.splitOver(attr.getName()))
      explained.sizes.assign(split.getSizes().begin(), split.getSizes().end());
    axes.push_back(std::move(explained));
  }
  return axes;
}

static std::vector<ExplainedAxis> explainAxes(Value value, nn::MeshAttr mesh,
                                              const Origins &origins) {
  std::vector<ExplainedAxis> axes = axesOf(nn::layoutOf(value), mesh);
  for (auto [axis, explained] : llvm::enumerate(axes)) {
    SmallVector<Value> chain = origins.chainOf(value, axis);
    explained.cause = causeText(origins.of(chain.front(), axis), chain.front());
    if (Operation *directive = origins.directiveOf(value, axis))
      explained.schedule = scheduleLine(directive->getLoc());
    for (Value step : ArrayRef(chain).drop_front()) {
      std::string path = pathOfValue(step);
      if (explained.through.empty() || explained.through.back() != path)
        explained.through.push_back(path);
    }
  }
  return axes;
}

void Placer::explain(std::vector<ExplainedValue> &values) {
  auto add = [&](Value value, std::string path, StringRef role, Location loc) {
    ExplainedValue explained;
    explained.path = std::move(path);
    explained.role = role.str();
    explained.type = nn::describe(value.getType());
    explained.in = explainAxes(value, mesh, origins);
    auto after = synced.find(value);
    explained.out = after == synced.end()
                        ? explained.in
                        : explainAxes(after->second, mesh, origins);
    explained.model = modelLine(loc);
    values.push_back(std::move(explained));
  };
  for (BlockArgument argument : func.getBody().front().getArguments()) {
    WayOut named;
    if (syncPoint(func, argument, named))
      add(argument, named.path, "input", argument.getLoc());
  }
  for (Operation &op : func.getBody().front()) {
    if (auto parameter = dyn_cast<nn::ParameterOp>(op))
      add(parameter.getResult(), parameter.getPath().str(), "parameter",
          op.getLoc());
    if (auto value = dyn_cast<nn::ValueOp>(op))
      add(value.getResult(), value.getPath().str(),
          nn::stringifyValueRole(value.getRole()), op.getLoc());
  }
}

/// ", through a, b, 7 more, k": the ops between the cause and the value.
static std::string throughText(const ExplainedAxis &axis,
                               const std::string &path) {
  constexpr size_t mostShown = 5;
  std::vector<std::string> names;
  for (const std::string &name : axis.through)
    if (!name.empty() && name != path)
      names.push_back(name);
  if (names.size() > mostShown) {
    std::string left = std::to_string(names.size() - 3) + " more";
    names = {names[0], names[1], left, names.back()};
  }
  return names.empty() ? "" : ", through " + llvm::join(names, ", ");
}

static void renderAxes(std::string &text, StringRef title,
                       const std::vector<ExplainedAxis> &axes,
                       const std::string &path) {
  for (const ExplainedAxis &axis : axes) {
    text += "\n  " + title.str() + axis.placement + " " +
            (axis.placement == "whole" ? "on " : "over ") + axis.axis;
    for (size_t i = 0; i < axis.sizes.size(); ++i)
      text += (i ? " " : ", sizes ") + std::to_string(axis.sizes[i]);
    text += "    " + axis.cause;
    if (axis.schedule) {
      std::string line = lineText(Location(axis.schedule));
      if (!line.empty())
        text += " (" + line + ")";
    }
    text += throughText(axis, path);
  }
}

static bool isMoved(const ExplainedValue &value) {
  for (auto [in, out] : llvm::zip(value.in, value.out))
    if (in.placement != out.placement || in.sizes != out.sizes ||
        in.cause != out.cause)
      return true;
  return false;
}

std::string placement::render(const ExplainedValue &value) {
  std::string text = value.path + ": " + value.type;
  if (value.in.empty())
    return text + "\n  whole: the mesh has one rank\n";
  bool moves = isMoved(value);
  renderAxes(text, moves ? "in    " : "", value.in, value.path);
  if (moves)
    renderAxes(text, "out   ", value.out, value.path);
  return text + "\n";
}
