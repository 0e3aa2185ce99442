//===- Backward.cpp - one run of differentiation over a function ----------===//

#include "Backward.h"
#include "dialects/Nn/BackwardSync.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/Expect.h"
#include "hocket/Transforms/Fuse.h"
#include "hocket/Transforms/Train.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::differentiation;

static bool isFloat(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

Location differentiation::locationOf(Location loc, StringRef suffix) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) { // made by a schedule line
    SmallVector<Location> parts(fused.getLocations());
    parts.front() = locationOf(parts.front(), suffix);
    return FusedLoc::get(loc.getContext(), parts);
  }
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return loc;
  return NameLoc::get(
      StringAttr::get(loc.getContext(), name.getName().getValue() + suffix),
      name.getChildLoc());
}

static Location gradientLocation(Location loc) {
  return locationOf(loc, ".grad");
}

Backward::Backward(nn::FuncOp func, nn::MeshAttr mesh)
    : Derivative(func.getContext()), func(func), mesh(mesh), placer(mesh),
      terminator(func.getBody().front().getTerminator()) {
  ops.setInsertionPoint(terminator);
}

//===-- What derivatives ask for ------------------------------------------===//

void Backward::place(Operation *op) { hasFailed |= failed(placer.place(op)); }

Value Backward::cotangent(unsigned result) {
  return gradients.lookup(current->getResult(result));
}

bool Backward::isWanted(unsigned operand) {
  return wanted.contains(current->getOperand(operand));
}

void Backward::give(unsigned operand, Value gradient) {
  contributions[current->getOperand(operand)].push_back({gradient});
}

void Backward::givePart(unsigned operand, Value gradient, int64_t dim,
                        int64_t start) {
  contributions[current->getOperand(operand)].push_back({gradient, dim, start});
}

void Backward::refuse(StringRef why) {
  current->emitError() << "not supported yet: " << why;
  hasFailed = true;
}

//===-- The run -----------------------------------------------------------===//

/// A parameter that is no buffer.
static bool isTrained(Operation *op) {
  return isa<nn::ParameterOp>(op) && !op->hasAttr(nn::kBuffer);
}

void Backward::findWanted(bool ofAll) {
  if (ofAll)
    for (BlockArgument argument : func.getArguments())
      if (isFloat(argument))
        wanted.insert(argument);
  for (Operation &op : func.getBody().front()) {
    bool isFree = op.getNumOperands() > 0 || isa<nn::ParameterOp>(op);
    for (Value operand : op.getOperands())
      isFree &= free.contains(operand);
    if (isFree || isa<nn::FillOp, nn::IotaOp>(op))
      for (Value result : op.getResults()) {
        free.insert(result);
        placer.markFree(result);
      }
    bool reaches =
        isTrained(&op) || llvm::any_of(op.getOperands(), [&](Value operand) {
          return wanted.contains(operand);
        });
    for (Value result : op.getResults())
      if (reaches && isFloat(result))
        wanted.insert(result);
  }
}

/// 1, or what the recipe scales gradients by so that narrow ones do not vanish;
/// the optimizer divides by it.
Value Backward::lossCotangent(Type type) {
  auto scale = nn::modelOf(func).getTrain().getAs<DictionaryAttr>(kLossScale);
  if (!scale)
    return makeTyped<nn::FillOp>(type, APFloat(1.0));
  APFloat first = scale.getAs<FloatAttr>("first").getValue();
  if (!scale.getAs<BoolAttr>("dynamic").getValue())
    return makeTyped<nn::FillOp>(type, first);
  return nn::StateOp::create(ops, at, type, kLossScale, first);
}

void Backward::seed(bool ofAll) {
  ArrayAttr names = func.getOutputs();
  size_t own = terminator->getNumOperands() - func.getBuffers().size();
  for (OpOperand &output : terminator->getOpOperands().take_front(own)) {
    Value value = output.get();
    if (!isFloat(value))
      continue;
    at = gradientLocation(value.getLoc());
    Value cotangent;
    if (ofAll) {
      unsigned index = func.getNumArguments();
      StringAttr name = cast<StringAttr>(names[output.getOperandNumber()]);
      auto attributes = ops.getDictionaryAttr(ops.getNamedAttr(
          nn::kName, ops.getStringAttr(name.getValue() + ".grad")));
      if (failed(func.insertArgument(index, value.getType(), attributes, at))) {
        hasFailed = true;
        return;
      }
      cotangent = func.getArgument(index);
    } else {
      cotangent = lossCotangent(value.getType());
    }
    if (wanted.contains(value))
      contributions[value].push_back({cotangent});
  }
}

static bool sendsMargins(Operation *op) {
  auto exchange = dyn_cast<nn::ExchangeOp>(op);
  return exchange && !exchange.getBack();
}

/// Whether it is at its place, or ranks have terms of what is: margins are sent
/// back before these are added up, as there are fewer of them then.
static bool isSumOf(Value value, Value gradient) {
  nn::LayoutAttr layout = nn::layoutOf(value), has = nn::layoutOf(gradient);
  return layout.getDims() == has.getDims() &&
         layout.getSplits() == has.getSplits();
}

/// Whether it leaves copies with several ranks, which give terms back.
static bool makesCopies(Operation *op) {
  auto move = dyn_cast<nn::RedistributeOp>(op);
  return move && nn::layoutOf(move.getX()).getHeld() !=
                     nn::layoutOf(move.getResult()).getHeld();
}

/// The terms are added up on the way, before others meet the sum.
void Backward::giveBackTerms(nn::RedistributeOp move) {
  std::optional<Contribution> sum = takeSum(move.getResult());
  Value x = move.getX();
  if (wanted.contains(x))
    contributions[x].push_back(
        {placer.redistribute(ops, at, sum->value, gradientLayout(x))});
}

void Backward::visit(Operation *op) {
  bool isReached = llvm::any_of(op->getResults(), [&](Value result) {
    return contributions.contains(result);
  });
  if (!isReached || isa<nn::ParameterOp>(op))
    return;
  current = op;
  reader = partOf(op);
  at = gradientLocation(op->getLoc());
  // Names, syncs and parts are the identity: what arrives is passed on, and
  // moved where the value is defined.
  if (isa<nn::ValueOp, nn::RedistributeOp, nn::HoldOp>(op)) {
    if (auto lines = op->getAttrOfType<ArrayAttr>(nn::kBackwardSyncs);
        lines && !reduceAsStated(cast<nn::ValueOp>(op), lines)) {
      hasFailed = true;
      return;
    }
    if (makesCopies(op)) {
      giveBackTerms(cast<nn::RedistributeOp>(op));
      return;
    }
    Contributions passed = std::move(contributions[op->getResult(0)]);
    contributions.erase(op->getResult(0));
    for (Contribution &contribution : passed)
      if (isa<nn::RedistributeOp>(op))
        contribution.sync = at;
    if (wanted.contains(op->getOperand(0)))
      llvm::append_range(contributions[op->getOperand(0)], passed);
    return;
  }
  gradients.clear();
  for (Value result : op->getResults())
    if (std::optional<Contribution> sum = takeSum(result))
      gradients[result] =
          isReducedBehind(op, sum->value) ||
                  (sendsMargins(op) && isSumOf(result, sum->value))
              ? sum->value
              : moveToItsPlace(result, *sum);
  if (auto differentiable = dyn_cast<nn::DifferentiableOp>(op))
    differentiable.differentiate(*this);
  else
    refuse(("the derivative of '" + op->getName().getStringRef() + "'").str());
}

/// The gradients of parameters that no operation before `op` uses: reduced
/// here, so that what reduces them need not wait and, under fsdp, no rank holds
/// the whole gradients of more than one unit.
void Backward::finishParameters(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto parameter = operand.getDefiningOp<nn::ParameterOp>();
    if (!parameter || firstUser.lookup(parameter) != op ||
        finished.contains(parameter))
      continue;
    at = gradientLocation(parameter.getLoc());
    if (Value gradient = gradientOf(parameter))
      finished[parameter] = gradient;
  }
}

/// The gradients asked for, as outputs.
void Backward::finish(bool ofAll) {
  SmallVector<Value> results(terminator->getOperands());
  SmallVector<Attribute> names(func.getOutputs().getValue());
  auto output = [&](Value value, StringRef name) {
    at = gradientLocation(value.getLoc());
    Value gradient = finished.lookup(value);
    if (!gradient)
      gradient = gradientOf(value);
    if (!gradient) { // nothing depends on it
      auto type = nn::withLayout(cast<RankedTensorType>(value.getType()),
                                 gradientLayout(value));
      gradient = makeTyped<nn::FillOp>(type, APFloat(0.0));
    }
    results.push_back(gradient);
    names.push_back(ops.getStringAttr(name + ".grad"));
  };
  SmallVector<nn::ParameterOp> parameters(
      func.getBody().front().getOps<nn::ParameterOp>());
  if (ofAll)
    for (unsigned i = 0, count = numInputs; i < count; ++i)
      if (isFloat(func.getArgument(i)))
        output(func.getArgument(i), nn::argumentName(func, i).getValue());
  for (nn::ParameterOp parameter : parameters)
    if (isFloat(parameter) && isTrained(parameter))
      output(parameter, parameter.getPath());
  terminator->setOperands(results);
  func.setOutputsAttr(ops.getArrayAttr(names));
  SmallVector<Type> inputs(func.getArgumentTypes());
  SmallVector<DictionaryAttr> attributes;
  func.getAllResultAttrs(attributes);
  attributes.resize(results.size(), ops.getDictionaryAttr({}));
  func.setFunctionType(FunctionType::get(func.getContext(), inputs,
                                         ValueRange(results).getTypes()));
  func.setAllResultAttrs(attributes);
}

LogicalResult Backward::run(bool ofAll) {
  SmallVector<Operation *> forward;
  for (Operation &op : func.getBody().front().without_terminator())
    forward.push_back(&op);
  if (forward.empty())
    return success();
  Operation *last = forward.back();
  numInputs = func.getNumArguments();
  findWanted(ofAll);
  seed(ofAll);
  for (Operation *op : forward)
    for (Value operand : op->getOperands())
      firstUser.try_emplace(operand, op);
  // Margins that an operation reads go back before its parameters are reduced.
  SmallVector<Operation *> visited;
  for (Operation *op : llvm::reverse(forward)) {
    if (!hasFailed)
      visit(op);
    visited.push_back(op);
    if (Operation *before = op->getPrevNode(); before && sendsMargins(before))
      continue;
    for (Operation *done : visited)
      if (!hasFailed)
        finishParameters(done);
    visited.clear();
  }
  if (hasFailed || reportUnreached(forward) || reportKeptAll())
    return failure();
  finish(ofAll);
  // Not to be merged with the forward's, and counted by `expect backward`.
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (isa<nn::RedistributeOp, nn::ExchangeOp>(op) ||
        placement::countHalos(op) > 0)
      op->setAttr(nn::kBackward, ops.getUnitAttr());
  return success(!hasFailed);
}
