//===- ExplainBackward.cpp - what ranks hold in the backward --------------===//

#include "ExplainAxes.h"
#include "Locations.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/Place.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

namespace {

constexpr StringLiteral kGrad = ".grad", kAgain = ".again";

/// Collects from a differentiated function what belongs to gradients, and what
/// the backward gathers or computes again.
class BackwardExplainer {
public:
  BackwardExplainer(nn::FuncOp func, nn::MeshAttr mesh)
      : func(func), mesh(mesh) {}

  std::vector<ExplainedValue> run(const std::vector<ExplainedValue> &forward);

private:
  void findWanted();
  void addMoved(nn::RedistributeOp op, StringRef path);
  void addAgain(Operation *op, StringRef path);
  ExplainedValue &entry(StringRef path, Value value, StringRef role);

  nn::FuncOp func;
  nn::MeshAttr mesh;
  llvm::StringSet<> wanted;                     // paths that have a gradient
  std::vector<ExplainedValue> values, computed; // gradients and gathers; again
  llvm::DenseMap<Value, size_t> made; // by a redistribution: in `values`
  llvm::StringMap<size_t> again;      // paths: in `computed`
};

} // namespace

/// Paths of what depends on a parameter that is trained, or on an input.
void BackwardExplainer::findWanted() {
  llvm::DenseSet<Value> reached;
  auto isFloat = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && isa<FloatType>(type.getElementType());
  };
  if (nn::gradientsOf(func) == nn::Gradients::All)
    for (BlockArgument argument : func.getArguments())
      if (isFloat(argument)) {
        reached.insert(argument);
        wanted.insert(pathOf(argument.getLoc()));
      }
  for (Operation &op : func.getBody().front()) {
    auto parameter = dyn_cast<nn::ParameterOp>(op);
    bool isTrained =
        (parameter && !op.hasAttr(nn::kBuffer)) || isa<nn::StateOp>(op);
    bool reaches = isTrained || llvm::any_of(op.getOperands(), [&](Value x) {
                     return reached.contains(x);
                   });
    for (Value result : op.getResults())
      if (reaches && isFloat(result))
        reached.insert(result);
    if (op.getNumResults() == 0 || !reached.contains(op.getResult(0)))
      continue;
    if (parameter)
      wanted.insert(parameter.getPath());
    if (auto state = dyn_cast<nn::StateOp>(op))
      wanted.insert(state.getName());
    if (auto value = dyn_cast<nn::ValueOp>(op))
      wanted.insert(value.getPath());
  }
}

ExplainedValue &BackwardExplainer::entry(StringRef path, Value value,
                                         StringRef role) {
  ExplainedValue &made = values.emplace_back();
  made.path = path.str();
  made.role = role.str();
  made.type = nn::describe(value.getType());
  made.model = modelLine(value.getLoc());
  return made;
}

/// A gradient that is moved, or a part that is gathered again. Several moves
/// of one value follow each other.
void BackwardExplainer::addMoved(nn::RedistributeOp op, StringRef path) {
  bool isGradient = path.ends_with(kGrad);
  auto before = made.find(op.getX());
  bool goesOn = before != made.end() && values[before->second].path == path;
  size_t number = goesOn ? before->second : values.size();
  if (!goesOn) {
    ExplainedValue &value =
        entry(path, op.getResult(), isGradient ? "gradient" : "again");
    Operation *maker = op.getX().getDefiningOp();
    std::string from = maker ? modelPath(maker) : "";
    StringRef name = from;
    bool isOther = from != path && name.consume_back(kGrad);
    value.in = axesOf(nn::layoutOf(op.getX()), mesh);
    for (ExplainedAxis &axis : value.in)
      axis.cause = isOther ? "as the backward of '" + name.str() + "' gives it"
                   : isGradient ? "as it comes from its uses"
                                : "as the backward keeps it";
    value.out = value.in;
  }
  made[op.getResult()] = number;
  std::vector<ExplainedAxis> after = axesOf(nn::layoutOf(op.getResult()), mesh);
  for (auto [old, now] : llvm::zip(values[number].out, after)) {
    bool isMoved =
        llvm::any_of(op.getAxes().getAsRange<StringAttr>(),
                     [&, name = StringRef(old.axis)](StringAttr axis) {
                       return axis.getValue() == name;
                     });
    if (!isMoved)
      continue;
    old = now;
    old.cause = "from the " + stringifyRedistributeKind(op.getKind()).str() +
                " at '" + path.str() + "'";
    if (auto fused = dyn_cast<FusedLoc>(op.getLoc()))
      if (fused.getLocations().size() > 1)
        old.schedule = scheduleLine(fused.getLocations().back());
    if (!old.schedule && isGradient)
      old.cause += ", which follows from the value's placement";
  }
}

void BackwardExplainer::addAgain(Operation *op, StringRef path) {
  auto [last, isNew] = again.try_emplace(path, computed.size());
  Value value = op->getResult(0);
  if (isNew)
    computed.push_back(
        {path.str(), "again", "", {}, {}, modelLine(op->getLoc())});
  ExplainedValue &explained = computed[last->second];
  explained.type = nn::describe(value.getType());
  explained.in = axesOf(nn::layoutOf(value), mesh);
  for (ExplainedAxis &axis : explained.in)
    axis.cause = "computed again for the backward";
  explained.out = explained.in;
}

/// The gradient of a value that is not moved is placed as the value, or whole
/// where that is a sum.
static ExplainedValue gradientOf(const ExplainedValue &value) {
  ExplainedValue gradient = value;
  gradient.path += kGrad;
  gradient.role = "gradient";
  for (ExplainedAxis &axis : gradient.in) {
    bool isSum = StringRef(axis.placement).starts_with("partial");
    axis.cause = isSum ? "each term of the sum '" + value.path +
                             "' has the same gradient"
                       : "as '" + value.path + "' is";
    if (isSum)
      axis.placement = "whole";
    axis.schedule = {};
    axis.through.clear();
  }
  gradient.out = gradient.in;
  return gradient;
}

std::vector<ExplainedValue>
BackwardExplainer::run(const std::vector<ExplainedValue> &forward) {
  findWanted();
  for (Operation &op : func.getBody().front()) {
    StringRef path = pathOf(op.getLoc());
    auto moved = dyn_cast<nn::RedistributeOp>(op);
    if (moved && (path.ends_with(kGrad) || path.ends_with(kAgain)))
      addMoved(moved, path);
    else if (path.ends_with(kAgain) && op.getNumResults())
      addAgain(&op, path);
  }
  llvm::StringSet<> known;
  for (const ExplainedValue &value : values)
    known.insert(value.path);
  for (ExplainedValue &value : computed) // else the gather tells
    if (!known.contains(value.path))
      values.push_back(std::move(value));
  for (const ExplainedValue &value : forward)
    if (wanted.contains(value.path) &&
        known.insert(value.path + ".grad").second)
      values.push_back(gradientOf(value));
  return std::move(values);
}

std::vector<ExplainedValue>
placement::explainBackward(ModuleOp module,
                           const std::vector<ExplainedValue> &forward) {
  nn::MeshAttr mesh = nn::meshOf(module);
  nn::FuncOp func = *module.getOps<nn::FuncOp>().begin();
  return BackwardExplainer(func, mesh).run(forward);
}
