//===- Infer.cpp - placing ops in order, by their rules -------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "RuleSpace.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Ring.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::inferOps() {
  Block &body = func.getBody().front();
  for (BlockArgument argument : body.getArguments())
    applySyncs(argument);
  for (Operation *op = &body.front(); op; op = op->getNextNode()) {
    if (isa<nn::ParameterOp, nn::FillOp, nn::IotaOp>(op) &&
        op->getNumOperands() == 0)
      freeValues.insert(op->getResult(0));
    if (isa<nn::ParameterOp, nn::RedistributeOp>(op))
      continue;
    if (op->hasTrait<OpTrait::IsTerminator>())
      checkOutputs(op);
    else if (isa<nn::PlacedOp>(op))
      inferOp(op);
    else
      problems.add(modelLine(op->getLoc()), ("not supported yet: placing '" +
                                             op->getName().getStringRef() + "'")
                                                .str());
  }
}

/// The layout with the factors that a rule has of each dim, where they are
/// finer.
static nn::LayoutAttr withRuleFactors(const nn::PlacementRule &rule,
                                      const nn::PlacementRule::Value &value,
                                      nn::LayoutAttr layout) {
  MLIRContext *context = layout.getContext();
  SmallVector<nn::DimAttr> dims(layout.getDims());
  for (auto [number, dim] : llvm::enumerate(dims)) {
    bool isWhole =
        value.multiplicity.empty() || value.multiplicity[number] == 1;
    SmallVector<nn::FactorAttr> factors;
    for (int factor : value.dims[number])
      if (factor >= 0)
        factors.push_back(nn::FactorAttr::get(
            context, StringAttr::get(context, rule.factors[factor].name),
            rule.factors[factor].size));
    if (!isWhole || factors.empty())
      continue;
    if (auto fine = nn::refineFactors(dim.getFactors(), factors);
        succeeded(fine))
      dim = nn::DimAttr::get(context, *fine);
  }
  return nn::LayoutAttr::get(context, dims);
}

/// A parameter that has as one dim what its operation takes apart, as the
/// weight behind a flattened image does, gets the factors of the other operand:
/// itself, so that ranks load their parts, or where others read it a view of
/// it.
static Operation *refined(Operation *op, const nn::PlacementRule &rule,
                          const Mismatch &mismatch, const RuleSpace &space) {
  OpOperand &operand = op->getOpOperand(mismatch.operand);
  const nn::PlacementRule::Value &value = rule.operands[mismatch.operand];
  nn::LayoutAttr layout = nn::layoutOf(operand.get());
  if (mismatch.kind != Mismatch::Kind::Unaligned || mismatch.isResult ||
      space.find(value, layout, mismatch.factor))
    return nullptr;
  nn::LayoutAttr fine = withRuleFactors(rule, value, layout);
  if (!space.find(value, fine, mismatch.factor))
    return nullptr;
  Operation *parameter = operand.get().getDefiningOp<nn::ParameterOp>();
  if (parameter && operand.get().hasOneUse() &&
      layout == layout.withoutPlacement()) {
    operand.get().setType(
        nn::withLayout(cast<RankedTensorType>(operand.get().getType()), fine));
    return parameter;
  }
  OpBuilder builder(op);
  operand.set(
      withFactorsOf(builder, operand.get().getLoc(), operand.get(), fine));
  return operand.get().getDefiningOp();
}

/// What has grown holds multiples of its parts where no line lets rows come
/// from others to make those of its bounds.
void Placer::leaveUnsettled(Operation *op) {
  auto pad = dyn_cast<nn::PadOp>(op);
  if (!pad || !pad.getSettles() || autoReshard)
    return;
  MeetResult met = meetOperands(pad, pad.getPlacementRule());
  if (llvm::any_of(met.mismatches, [](const Mismatch &mismatch) {
        return mismatch.kind == Mismatch::Kind::NeedsHalo;
      }))
    pad.removeSettlesAttr();
}

void Placer::inferOp(Operation *op) {
  SmallVector<AttentionMove> moves;
  leaveUnsettled(op);
  if (isAttention(op))
    moves = prepareAttention(op);
  nn::PlacementRule rule = cast<nn::PlacedOp>(op).getPlacementRule();
  bool allFree = op->getNumOperands() > 0 &&
                 llvm::all_of(op->getOperands(),
                              [&](Value operand) { return isFree(operand); });
  std::set<unsigned> reported;
  // Mending an axis can show that another operand does not meet there either.
  unsigned axes = mesh.getAxes().size();
  unsigned rounds = 4 * axes * std::max(op->getNumOperands(), 1u) + 1;
  for (unsigned round = 0; round < rounds; ++round) {
    MeetResult met = meetOperands(op, rule);
    if (met.mismatches.empty()) {
      applyMeet(op, rule, met);
      if (onlyJudges) // what statistics it takes is said there
        countWork(op, rule, met);
      if (allFree)
        freeValues.insert(op->getResult(0));
      if (isa<nn::ValueOp>(op))
        applySyncs(op->getResult(0));
      if (isAttention(op))
        finishAttention(op, moves);
      if (auto reduce = dyn_cast<nn::ReduceOp>(op))
        completeReduction(reduce);
      return;
    }
    const Mismatch &mismatch = met.mismatches.front();
    if (isFree(op->getOperand(mismatch.isResult ? 0 : mismatch.operand)))
      if (Operation *view = refined(op, rule, mismatch, {rule, mesh})) {
        if (isa<nn::PlacedOp>(view))
          inferOp(view);
        continue;
      }
    if (!autoReshard && reported.insert(mismatch.axis).second)
      reportMismatch(op, rule, mismatch);
    if (!mend(op, rule, mismatch)) {
      if (autoReshard)
        reportMismatch(op, rule, mismatch);
      return;
    }
    if (autoReshard &&
        isAttention(op)) { // its lines count where queries are cut
      llvm::append_range(moves, prepareAttention(op));
      rule = cast<nn::PlacedOp>(op).getPlacementRule(); // of a ring, perhaps
    }
  }
  // One move undoes another: not found by mending axis by axis.
  MeetResult met = meetOperands(op, rule);
  if (autoReshard && !met.mismatches.empty())
    reportMismatch(op, rule, met.mismatches.front());
}

/// Rows of a table, and heads of attention, are one interval on a rank; so is
/// the batch where weights are dropped, which go by their place.
static void refuseOrders(Operation *op, ArrayRef<nn::LayoutAttr> operands,
                         nn::MeshAttr mesh, MeetResult &met) {
  if (!met.mismatches.empty())
    return;
  bool isTable = isa<nn::EmbeddingOp>(op);
  if (!isTable && !isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(op))
    return;
  int64_t dim = isTable ? 0 : 1;
  auto attention = dyn_cast<nn::AttentionOp>(op);
  bool drops = attention && attention.getStep();
  for (unsigned i = 0; i < (isTable ? 1u : 3u); ++i)
    for (nn::SplitAttr split : operands[i].getSplits())
      if ((split.getDim() == dim || (drops && split.getDim() == 0)) &&
          split.isOrdered()) {
        Mismatch mismatch{Mismatch::Kind::Ordered,
                          unsigned(mesh.getIndex(split.getAxis()))};
        mismatch.operand = i;
        mismatch.typeDim = split.getDim();
        mismatch.typeFactor = split.getFactor();
        met.mismatches.push_back(mismatch);
      }
}

MeetResult Placer::meetOperands(Operation *op, const nn::PlacementRule &rule) {
  SmallVector<nn::LayoutAttr> operands, results;
  llvm::BitVector isFreeOperand(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    operands.push_back(nn::layoutOf(operand));
    isFreeOperand[i] = isFree(operand);
  }
  for (Value result : op->getResults())
    results.push_back(nn::layoutOf(result));
  MeetResult met = meet({rule, mesh, operands, results, isFreeOperand,
                         [&](unsigned axis) { return isLicensed(op, axis); },
                         [&](unsigned axis, int factor) {
                           return mayReach(op, axis, rule, factor);
                         }});
  refuseOrders(op, operands, mesh, met);
  return met;
}

/// The free redistribution of a value for one use, made once for all uses.
Value Placer::placeFor(Operation *op, Value value, nn::LayoutAttr target,
                       RedistributeKind kind) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  if (layout.withoutHeld() == target)
    return value;
  auto &made =
      cut[{value.getAsOpaquePointer(), target.getAsOpaquePointer(), kind}];
  if (made)
    return made;
  SmallVector<unsigned> axes;
  for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
    StringRef name = mesh.getAxes()[axis].getName().getValue();
    if (layout.splitOver(name) != target.splitOver(name) ||
        layout.partialOver(name) != target.partialOver(name))
      axes.push_back(axis);
  }
  Location loc =
      value.getDefiningOp() ? value.getDefiningOp()->getLoc() : value.getLoc();
  made = redistribute(value, kind, axes, target, loc);
  if (isFree(value))
    freeValues.insert(made);
  for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
    Origin origin;
    origin.kind = Origin::Kind::Through;
    origin.from = value;
    origin.op = made.getDefiningOp();
    origins.set(made, axis, origin);
  }
  return made;
}

void Placer::applyMeet(Operation *op, const nn::PlacementRule &rule,
                       const MeetResult &met) {
  std::optional<unsigned> bias; // which is as large as the scores
  if (auto attention = dyn_cast<nn::AttentionOp>(op))
    bias = nn::MaskOperands::biasOf(attention);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    Value value = i == bias ? cutAtSource(op, operand.get(), met.sliced[i])
                            : placeFor(op, operand.get(), met.sliced[i],
                                       RedistributeKind::Slice);
    operand.set(placeFor(op, value, met.masked[i], RedistributeKind::Mask));
  }
  if (!met.statistics.empty() && !isAttention(op)) {
    SmallVector<StringRef> names;
    for (unsigned axis : met.statistics) {
      isLicensed(op, axis, /*takes=*/true);
      names.push_back(mesh.getAxes()[axis].getName().getValue());
    }
    op->setAttr("nn.statistics", Builder(op).getStrArrayAttr(names));
  }
  for (Value result : op->getResults()) {
    unsigned index = cast<OpResult>(result).getResultNumber();
    result.setType(nn::withLayout(cast<RankedTensorType>(result.getType()),
                                  met.results[index]));
    for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
      Origin origin;
      if (met.source[axis] >= 0) {
        unsigned from = met.source[axis];
        origin.kind = Origin::Kind::Through;
        if (met.contracted[axis] >= 0) {
          origin.kind = Origin::Kind::Contracted;
          origin.factor = rule.factors[met.contracted[axis]].name;
          // The weight's own fact says more than what it makes of the input.
          StringRef name = mesh.getAxes()[axis].getName().getValue();
          for (auto [i, layout] : llvm::enumerate(met.sliced))
            if (layout.splitOver(name) &&
                origins.of(op->getOperand(i), axis).kind == Origin::Kind::Fact)
              from = i;
        }
        origin.from = op->getOperand(from);
      } else if (op->getNumOperands() == 1) {
        origin.kind = Origin::Kind::Through;
        origin.from = op->getOperand(0);
      }
      origin.op = op;
      origins.set(result, axis, origin);
    }
  }
  if (auto windowed = dyn_cast<nn::WindowedOp>(op))
    takeHalos(windowed);
}

bool Licence::covers(StringRef path) const {
  return llvm::any_of(paths,
                      [&](StringRef root) { return isAtOrUnder(path, root); });
}

bool Placer::isLicensed(Operation *op, unsigned axis, bool takes) {
  if (assumed.contains({op, axis}) || nn::isRingOver(op, axisText(axis, mesh)))
    return true;
  if (isAttention(op)) // no line except that of its ring
    return false;
  std::string path = modelPath(op);
  bool found = false;
  for (Licence &licence : licences) {
    if (!llvm::is_contained(licence.axes, axis))
      continue;
    if (!licence.covers(path))
      continue;
    if (takes)
      licence.used.insert(axis);
    found = true;
  }
  return found;
}

/// The line is for training: a batch norm that reads running statistics takes
/// none.
static bool isForTraining(nn::FuncOp func, const Licence &licence) {
  if (!func.getBuffers().empty())
    return false;
  auto parameters = func.getBody().front().getOps<nn::ParameterOp>();
  return llvm::any_of(parameters, [&](nn::ParameterOp parameter) {
    return parameter->hasAttr(nn::kBuffer) &&
           licence.covers(parameter.getPath().rsplit('.').first);
  });
}

void Placer::checkLicences() {
  for (const Licence &licence : licences)
    for (unsigned axis : licence.axes)
      if (!licence.used.count(axis) && !isForTraining(func, licence))
        problems
            .addAt(licence.directive,
                   "statistics of '" + licence.paths.front() + "' over " +
                       axisText(axis, mesh) +
                       " has no effect: nothing that it normalises or reduces "
                       "is split there",
                   licence.paths.front())
            .advise("leave this line out");
}

void Placer::checkOutputs(Operation *terminator) {
  ArrayAttr names = func.getOutputs();
  for (OpOperand &output : terminator->getOpOperands()) {
    unsigned index = output.getOperandNumber();
    std::string name = cast<StringAttr>(names[index]).getValue().str();
    for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
      nn::LayoutAttr layout = nn::layoutOf(output.get());
      if (!layout.partialOver(axisText(axis, mesh)))
        continue;
      if (autoReshard && reduceOperand(terminator, index, axis))
        continue;
      Problem &problem = problems.add(
          diagnosis.causeLocation(output.get(), axis, terminator),
          "output '" + name + "' must be whole or split, and is " +
              reductionName(layout.partialOver(axisText(axis, mesh))) +
              " that is still partial over " + axisText(axis, mesh),
          name);
      diagnosis.noteCause(problem, output.get(), axis);
      diagnosis.involve(problem, output.get(), axis);
      waysOut.ofSum(problem, output.get(), axis);
    }
  }
  SmallVector<Type> inputs(func.getBody().front().getArgumentTypes());
  SmallVector<Type> outputs(terminator->getOperandTypes());
  func.setFunctionType(FunctionType::get(module.getContext(), inputs, outputs));
}
