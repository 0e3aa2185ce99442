//===- WaysOutAtSource.cpp - ways out further up: what made a value -------===//

#include "Locations.h"
#include "WaysOut.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// How many operations are looked at on the way to what made a value.
static constexpr size_t kMostLooked = 64;

/// Where a layout has a factor of that name and size.
static std::optional<FactorRef> findFactor(nn::LayoutAttr layout,
                                           StringRef name, int64_t size) {
  for (auto [d, dim] : llvm::enumerate(layout.getDims()))
    for (auto [f, factor] : llvm::enumerate(dim.getFactors()))
      if (factor.getName().getValue() == name && factor.getSize() == size)
        return FactorRef{unsigned(d), unsigned(f)};
  return std::nullopt;
}

/// A line that splits a parameter or an input, which no line has placed there.
static std::optional<WayOut> newShard(StringRef path, Value value,
                                      FactorRef ref, StringRef axis) {
  WayOut way;
  way.kind = WayOut::Kind::Shard;
  way.isNew = true;
  way.path = path.str();
  way.axis = axisName(nn::layoutOf(value), ref);
  way.over = {axis.str()};
  if (way.path.empty() || way.axis.empty() ||
      nn::layoutOf(value).splitOver(axis) ||
      !nn::layoutOf(value).splitsOf(ref.dim, ref.factor).empty())
    return std::nullopt;
  return way;
}

void WaysOut::shardSource(Problem &problem, Value value, unsigned axis,
                          FactorRef ref) {
  nn::FactorAttr factor =
      nn::layoutOf(value).getDims()[ref.dim].getFactors()[ref.factor];
  StringRef name = factor.getName().getValue();
  std::string over = axisText(axis, mesh);
  if (name.empty())
    return;
  llvm::SmallSetVector<Value, 16> seen;
  seen.insert(value);
  std::vector<WayOut> lines;
  std::set<std::string> known;
  auto add = [&](StringRef path, Value source) {
    auto found = findFactor(nn::layoutOf(source), name, factor.getSize());
    auto way = found ? newShard(path, source, *found, over) : std::nullopt;
    if (way && known.insert(way->path).second)
      lines.push_back(*way);
    return found.has_value();
  };
  for (size_t i = 0; i < seen.size() && i < kMostLooked; ++i) {
    Value current = seen[i];
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      WayOut named;
      if (syncPoint(func, argument, named))
        add(named.path, argument);
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (nn::layoutOf(current).splitOver(over) || isa<nn::ParameterOp>(op))
      continue;
    bool isMade = false; // by a weight that has the factor
    if (isa<nn::LinearOp, nn::EmbeddingOp, nn::ConvOp, nn::ConvTransposeOp>(op))
      for (Value operand : op->getOperands())
        if (auto parameter = operand.getDefiningOp<nn::ParameterOp>())
          isMade |= add(parameter.getPath(), operand);
    if (!isMade)
      for (Value operand : op->getOperands())
        seen.insert(operand);
  }
  if (lines.empty())
    return;
  WayOut all = lines.front();
  all.others.assign(lines.begin() + 1, lines.end());
  problem.ways.push_back(all);
}

/// All_to_alls to that dim, at the two names that stand nearest to the use.
void WaysOut::toDim(Problem &problem, Value value, unsigned axis,
                    StringRef name) {
  size_t offered = 0;
  SmallVector<Value> chain = origins.chainOf(value, axis);
  for (Value point : llvm::reverse(chain)) {
    nn::LayoutAttr layout = nn::layoutOf(point);
    nn::SplitAttr split = layout.splitOver(axisText(axis, mesh));
    WayOut way;
    bool hasDim = llvm::any_of(layout.getDims(), [&](nn::DimAttr dim) {
      return dim.getFactors().size() == 1 &&
             dim.getFactors()[0].getName().getValue() == name;
    });
    if (!split || !hasDim || !syncPoint(func, point, way))
      continue;
    way.op = "all_to_all";
    way.axis = axisName(
        layout, {unsigned(split.getDim()), unsigned(split.getFactor())});
    way.to = name.str();
    way.over = {axisText(axis, mesh)};
    if (way.axis.empty() || way.axis == way.to)
      continue;
    problem.ways.push_back(way);
    if (++offered == 2)
      return;
  }
}

void WaysOut::beforeSum(Problem &problem, Value value, unsigned axis) {
  const Origin &root = origins.rootOf(value, axis);
  if (root.kind != Origin::Kind::Contracted)
    return;
  std::set<std::string> dims; // that other lines split over the axis
  schedule.walk([&](Operation *line) {
    auto over = line->getAttrOfType<ArrayAttr>("over");
    for (StringRef attribute : {"axis", "to"})
      if (auto dim = line->getAttrOfType<StringAttr>(attribute);
          dim && over &&
          llvm::is_contained(
              over, StringAttr::get(dim.getContext(), axisText(axis, mesh))))
        dims.insert(dim.getValue().str());
  });
  for (Value operand : root.op->getOperands()) {
    if (freeValues.contains(operand) ||
        !nn::layoutOf(operand).splitOver(axisText(axis, mesh)))
      continue;
    for (const std::string &name : dims)
      toDim(problem, operand, axis, name);
    gather(problem, operand, axis);
  }
}

/// Members of the attention's module that keys are made by, relative to it.
static std::vector<std::string> makersOf(Operation *attention,
                                         StringRef module) {
  std::vector<std::string> makers;
  Value value = attention->getOperand(1);
  for (size_t i = 0; i < kMostLooked; ++i) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      break;
    std::string whole = modelPath(op);
    StringRef path = whole;
    if (isa<nn::LinearOp>(op) && path.consume_front(module) &&
        path.consume_front("."))
      makers.push_back(path.str());
    value = op->getOperand(0);
  }
  return makers;
}

void WaysOut::attention(Problem &problem, Operation *op, unsigned axis) {
  if (!isAttention(op))
    return;
  WayOut way;
  way.kind = WayOut::Kind::Attention;
  way.path = modelPath(op);
  way.over = {axisText(axis, mesh)};
  if (way.path.empty())
    return;
  for (const char *strategy : {"heads", "sequence", "all_gather", "ring"}) {
    way.op = strategy;
    problem.ways.push_back(way);
  }
  way.op = "sequence";
  for (std::string &maker : makersOf(op, modelPath(op))) {
    way.until = std::move(maker);
    problem.ways.push_back(way);
  }
}
