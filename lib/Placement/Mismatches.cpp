//===- Mismatches.cpp - what is wrong where placements don't meet ---------===//
//
// An error stands at the schedule line that caused the found placement; its
// notes stand at the model line, with the op's reason, and at where the value
// became split or partial.
//
//===----------------------------------------------------------------------===//

#include "HaloReach.h"
#include "Locations.h"
#include "Placer.h"
#include "RuleSpace.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using Kind = Mismatch::Kind;

/// "add in 'h.0'", "'h.0.ln_2'" for the op that a member is.
static std::string opName(Operation *op) {
  std::string path = modelPath(op);
  bool isMember = isa<nn::LinearOp, nn::EmbeddingOp, nn::LayerNormOp,
                      nn::RmsNormOp, nn::NormalizeOp, nn::DropoutOp, nn::ConvOp,
                      nn::ConvTransposeOp, nn::ValueOp>(op);
  if (isMember && !path.empty())
    return "'" + path + "'";
  std::string name = op->getName().stripDialect().str();
  if (isa<nn::NeighborhoodAttentionOp>(op))
    name = "attention"; // under a mask of neighborhoods
  if (auto unary = dyn_cast<nn::UnaryOp>(op))
    name = stringifyUnaryKind(unary.getKind()).str();
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    name = stringifyBinaryKind(binary.getKind()).str();
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    name = stringifyReduceKind(reduce.getKind()).str();
  if (auto pool = dyn_cast<nn::PoolOp>(op))
    name =
        pool.getKind() == nn::PoolKind::Average ? "average_pool" : "max_pool";
  return name + (path.empty() ? " in the model" : " in '" + path + "'");
}

static std::string operandName(Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  Operation *source = value.getDefiningOp();
  while (auto moved = dyn_cast_or_null<nn::RedistributeOp>(source))
    source = moved.getX().getDefiningOp();
  if (auto parameter = dyn_cast_or_null<nn::ParameterOp>(source)) {
    std::string name = parameter.getPath().rsplit('.').second.str();
    return "its " + (name.empty() ? parameter.getPath().str() : name);
  }
  if (isa<nn::BinaryOp, nn::MatMulOp>(op))
    return operand == 0 ? "its left side" : "its right side";
  if (auto attention = dyn_cast<nn::AttentionOp>(op)) {
    auto mask = nn::MaskOperands::of(attention);
    if (operand == mask.queryDocuments)
      return "the documents of its queries";
    if (operand == mask.keyDocuments)
      return "the documents of its keys";
    if (operand == nn::MaskOperands::biasOf(attention))
      return "its bias";
  }
  if (isAttention(op)) {
    static const char *const names[] = {"its queries", "its keys", "its values",
                                        "its mask"};
    return names[std::min(operand, 3u)];
  }
  if (isa<nn::ScatterSumOp>(op))
    return operand == 0 ? "its edges" : "its 'like'";
  if (isa<nn::ConcatOp, nn::WhereOp>(op))
    return "its operand " + std::to_string(operand);
  return "its input";
}

std::string Diagnosis::splitName(Operation *op, unsigned operand,
                                 unsigned axis) const {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
  nn::SplitAttr split = layout.splitOver(axisText(axis, mesh));
  return split ? factorName(layout, {unsigned(split.getDim()),
                                     unsigned(split.getFactor())})
               : "nothing";
}

std::string placement::partsList(ArrayRef<int64_t> sizes) {
  constexpr size_t kMost = 16;
  if (sizes.size() > kMost)
    return llvm::join(llvm::map_range(
                          sizes.take_front(kMost),
                          [](int64_t size) { return std::to_string(size); }),
                      ", ") +
           ", ... (" + std::to_string(sizes.size()) + " parts)";
  std::string text;
  for (auto [i, size] : llvm::enumerate(sizes))
    text += (i == 0                  ? ""
             : i + 1 == sizes.size() ? " and "
                                     : ", ") +
            std::to_string(size);
  return text;
}

static std::string unalignedText(nn::LayoutAttr layout,
                                 const Mismatch &mismatch,
                                 const nn::PlacementRule &rule,
                                 nn::MeshAttr mesh) {
  nn::FactorAttr coarse =
      layout.getDims()[mismatch.typeDim].getFactors()[mismatch.typeFactor];
  const auto &fine = rule.factors[mismatch.factor];
  std::string parts = std::to_string(mesh.getAxes()[mismatch.axis].getSize());
  nn::SplitAttr split =
      layout.splitOver(mesh.getAxes()[mismatch.axis].getName());
  if (split && !split.getSizes().empty())
    parts = "parts of " + partsList(split.getSizes());
  std::string name =
      factorName(layout, {mismatch.typeDim, mismatch.typeFactor});
  std::string unit = fine.name.empty() ? "parts" : fine.name;
  // Of grouped heads the rule has the operand's own factor.
  if (fine.size == coarse.getSize())
    return name + " (" + std::to_string(coarse.getSize()) + ") cut in " +
           parts + " does not fit how its queries are cut";
  return name + " (" + std::to_string(coarse.getSize()) + ") cut in " + parts +
         " does not fall on whole " + unit + ", " + std::to_string(fine.size) +
         " of " + std::to_string(fine.size ? coarse.getSize() / fine.size : 0);
}

/// "3, 4 and 5": of the ranks in order, in elements of the rule's factor.
std::string Diagnosis::partsText(Operation *op, const nn::PlacementRule &rule,
                                 unsigned operand, const Mismatch &m) const {
  SmallVector<Mismatch> ignored;
  RuleValue value = RuleSpace(rule, mesh)
                        .toRule(rule.operands[operand],
                                nn::layoutOf(op->getOperand(operand)), ignored);
  for (const AxisCut &cut : value.nesting[m.factor])
    if (cut.axis == m.axis) {
      std::string order = cut.bounds.order.text();
      return partsList(cut.sizes.list()) +
             (order.empty() ? "" : " in " + order + " order");
    }
  return "its own";
}

/// "zigzag"
static std::string orderText(Operation *op, const Mismatch &m) {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(m.operand));
  return nn::orderOf(layout.splitsOf(m.typeDim, m.typeFactor).front()).text();
}

std::string Diagnosis::text(Operation *op, const nn::PlacementRule &rule,
                            const Mismatch &m) const {
  std::string name = opName(op), over = " over " + axisText(m.axis, mesh);
  auto mine = [&] { return operandName(op, m.operand); };
  auto theirs = [&] { return operandName(op, m.other); };
  auto partial = [&] {
    return reductionName(nn::layoutOf(op->getOperand(m.operand))
                             .partialOver(axisText(m.axis, mesh)));
  };
  switch (m.kind) {
  case Kind::PartialRefused:
    return name + " takes " + mine() + " whole, and gets " + partial() +
           " that is still partial" + over;
  case Kind::TwoSums:
    return name + " multiplies " + mine() + " by " + theirs() +
           ", and both are sums that are still partial" + over;
  case Kind::TwoReductions:
    return name + " gets " + mine() + " and " + theirs() + " partial" + over +
           " under different reductions";
  case Kind::PartialAndSplit:
    return name + " gets " + mine() + " as " + partial() +
           " that is still partial" + over + ", and " + theirs() +
           " split by " + splitName(op, m.other, m.axis) + " there";
  case Kind::NeedsWhole:
    return name + " takes " + splitName(op, m.operand, m.axis) +
           " whole, and gets " + mine() + " split by it" + over;
  case Kind::NeedsLicence:
    if (isAttention(op))
      return name + " gets " + mine() + " split by " +
             splitName(op, m.operand, m.axis) + over +
             ", over which its keys do not travel";
    return name + " reduces over " + splitName(op, m.operand, m.axis) +
           ", and gets " + mine() + " split by it" + over +
           " without a statistics line";
  case Kind::NeedsHalo:
    return name +
           (isa<nn::GatherOp, nn::ScatterSumOp>(op)
                ? " goes along edges to other parts of "
                : " slides over ") +
           splitName(op, m.operand, m.axis) + ", and gets " + mine() +
           " split by it" + over + " without a halo line";
  case Kind::TwoFactors:
    return name + " gets " + mine() + " split by " +
           splitName(op, m.operand, m.axis) + " and " + theirs() +
           " split by " + splitName(op, m.other, m.axis) + ", both" + over;
  case Kind::WholeAndSplit:
    return name + " gets " + theirs() + " split by " +
           splitName(op, m.other, m.axis) + over + ", and " + mine() + " whole";
  case Kind::Nesting:
    return name + " gets " + mine() + " and " + theirs() +
           " split by the same factor over axes nested in different orders";
  case Kind::Sizes:
    return name + " gets " + mine() + " split by " +
           splitName(op, m.operand, m.axis) + over + " in parts of " +
           partsText(op, rule, m.operand, m) + ", and " + theirs() +
           " in parts of " + partsText(op, rule, m.other, m);
  case Kind::Unaligned: {
    Value value = m.isResult ? op->getResult(0) : op->getOperand(m.operand);
    return name + ": " + unalignedText(nn::layoutOf(value), m, rule, mesh) +
           over;
  }
  case Kind::Ordered:
    return "not supported yet: " + name + " takes " +
           splitName(op, m.operand, m.axis) + " in intervals, and gets " +
           mine() + " split by it" + over + " in " + orderText(op, m) +
           " order";
  case Kind::NotInRule:
    return name + " cannot take " + mine() + " split by " +
           factorName(nn::layoutOf(op->getOperand(m.operand)),
                      {m.typeDim, m.typeFactor}) +
           over;
  }
  return name;
}

Location Diagnosis::causeLocation(Value value, unsigned axis,
                                  Operation *op) const {
  if (Operation *directive = origins.directiveOf(value, axis))
    return scheduleLine(directive->getLoc());
  return modelLine(op->getLoc());
}

static std::string directiveName(Operation *directive) {
  if (auto sync = dyn_cast<sched::SyncOp>(directive))
    return stringifyRedistributeKind(sync.getKind()).str();
  return directive->getName().stripDialect().str();
}

static std::string pathOfValue(Value value) {
  if (Operation *op = value.getDefiningOp())
    return modelPath(op);
  return pathOf(value.getLoc()).str();
}

void Diagnosis::noteCause(Problem &problem, Value value, unsigned axis) const {
  const Origin *root = &origins.rootOf(value, axis);
  if (root->kind == Origin::Kind::Contracted) {
    auto uses = llvm::find_if(root->op->getOpOperands(), [&](OpOperand &use) {
      return use.get() == root->from;
    });
    std::string text = "partial since " + opName(root->op) + ": " +
                       operandName(root->op, uses->getOperandNumber()) +
                       " is split by " +
                       splitName(root->op, uses->getOperandNumber(), axis) +
                       ", which it contracts";
    Operation *directive = origins.directiveOf(value, axis);
    Location where = modelLine(root->op->getLoc());
    if (directive && definitionLine(directive->getLoc()) != problem.where)
      where = definitionLine(directive->getLoc());
    problem.note(where, text);
    return;
  }
  if (!root->directive)
    return;
  Location line = scheduleLine(root->directive->getLoc());
  std::string name = directiveName(root->directive);
  if (root->kind == Origin::Kind::Sync) {
    if (line != problem.where)
      problem.note(line, "since the " + name + " at '" +
                             pathOfValue(root->op->getResult(0)) + "'");
    return;
  }
  SmallVector<Value> chain = origins.chainOf(value, axis);
  std::string source = pathOfValue(chain.front());
  if (line != problem.where)
    problem.note(line, "'" + source + "' is placed here");
  Location inner = definitionLine(root->directive->getLoc());
  if (inner != line)
    problem.note(inner, "by this line, which places '" + source + "'");
}

std::string Diagnosis::reason(Operation *op, const nn::PlacementRule &rule,
                              const Mismatch &mismatch) const {
  std::string reason;
  if (mismatch.kind == Kind::PartialRefused || mismatch.kind == Kind::TwoSums)
    reason = rule.reason;
  if (mismatch.kind == Kind::NeedsWhole || mismatch.kind == Kind::NeedsLicence)
    reason = rule.factors[mismatch.factor].reason;
  if (mismatch.kind == Kind::NeedsHalo)
    reason = haloReason(op, rule, mismatch, mesh);
  if (mismatch.kind == Kind::Unaligned && !mismatch.isResult && isAttention(op))
    reason = "where keys and values are left whole, each rank reads the heads "
             "that its queries need";
  if (mismatch.kind == Kind::Sizes)
    reason = "ranks work on what they hold of both: each needs the same part";
  if (mismatch.kind == Kind::Ordered)
    reason =
        "it counts on from the first element of a part, or reads what lies "
        "beside one: the elements of this one do not lie side by side";
  if (mismatch.kind == Kind::WholeAndSplit)
    reason = "what is whole is cut only where a line says so";
  if (mismatch.kind == Kind::PartialAndSplit ||
      mismatch.kind == Kind::TwoFactors)
    reason = "on one axis a value is either whole, split by one factor, or a "
             "partial sum";
  return reason.empty() ? "used here" : reason;
}

/// Attention lines over an axis: another strategy may mend the problem.
void Placer::involveStrategies(Problem &problem, Operation *op,
                               unsigned axis) const {
  for (ArrayRef<Licence> lines : {ArrayRef(strategies), ArrayRef(halos)})
    for (const Licence &line : lines)
      if (isa<sched::AttentionOp>(line.directive) &&
          line.covers(modelPath(op)) && llvm::is_contained(line.axes, axis))
        diagnosis.involveLine(problem, line.directive, op->getOperand(0), axis);
}

void Placer::reportMismatch(Operation *op, const nn::PlacementRule &rule,
                            const Mismatch &mismatch) {
  // The found placement to blame: of a whole and a split side the split one.
  unsigned blamed =
      mismatch.kind == Kind::WholeAndSplit ? mismatch.other : mismatch.operand;
  if (mismatch.isResult)
    blamed = 0;
  Value value = op->getOperand(blamed);
  Problem &problem =
      problems.add(diagnosis.causeLocation(value, mismatch.axis, op),
                   diagnosis.text(op, rule, mismatch), modelPath(op));
  if (isa<NameLoc>(op->getLoc()))
    llvm::raw_string_ostream(problem.site)
        << op->getName() << " " << modelLine(op->getLoc());
  std::string reason = diagnosis.reason(op, rule, mismatch);
  Location line = modelLine(op->getLoc());
  if (line != problem.where || reason != "used here")
    problem.note(line, reason);
  diagnosis.noteCause(problem, value, mismatch.axis);
  if (mismatch.kind == Kind::Sizes)
    diagnosis.noteCause(problem, op->getOperand(mismatch.other), mismatch.axis);
  if (mismatch.kind == Kind::NeedsWhole || mismatch.kind == Kind::NeedsLicence)
    noteSequence(problem, op, mismatch.axis, mesh, strategies, halos);
  diagnosis.involve(problem, value, mismatch.axis);
  if (isAttention(op))
    involveStrategies(problem, op, mismatch.axis);
  for (Value operand : op->getOperands())
    diagnosis.involve(problem, operand, mismatch.axis);
  waysOut.add(problem, op, rule, mismatch);
}
