//===- CarriedMargins.cpp - what is computed in margins of its own --------===//
//
// A value carries margins where the placement rule of what makes it has the
// factor pointwise: each position is computed of that position alone, so a rank
// can compute those of others too. Gradients are sums of what all ranks make of
// a position, their own and what lies in their margins, and all that is linear
// in them may be computed before the sum.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/CarriedMargins.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

static bool isPointwise(const PlacementRule::Factor &factor) {
  return factor.use == FactorUse::Pointwise && !factor.window &&
         factor.windowsOf < 0;
}

/// Has statistics of a dim that is split, or draws numbers for what it owns.
static bool dependsOnOthers(Operation *op) {
  return op->hasAttr("nn.statistics") ||
         isa<DropoutOp, NormalizeOp, IotaOp, ParameterOp, StateOp,
             RedistributeOp>(op) ||
         !isa<PlacedOp>(op);
}

/// Whether windows of both attentions read the same margins.
static bool readAlike(WindowedOp a, WindowedOp b) {
  return a == b || (a.getWindows() == b.getWindows() &&
                    layoutOf(a.getWindowed()) == layoutOf(b.getWindowed()));
}

/// Whether what is exchanged is what these windows read.
static bool isFor(ExchangeOp op, WindowedOp reader) {
  return llvm::all_of(reader.getWindows(), [&](const auto &window) {
    return !window || (window->low == int64_t(op.getBefore()) &&
                       window->high == int64_t(op.getAfter()));
  });
}

const Carried *CarriedMargins::find(Value value) const {
  auto found = carried.find(value);
  return found == carried.end() ? nullptr : &found->second;
}

const Carried *CarriedMargins::findZeros(OpOperand &operand) const {
  auto found = zeros.find(&operand);
  return found == zeros.end() ? nullptr : &found->second;
}

/// False where it carries other margins.
bool CarriedMargins::add(Value value, const Carried &how) {
  auto [entry, isNew] = carried.insert({value, how});
  const Carried &known = entry->second;
  if (!readAlike(known.reader, how.reader))
    other = known.reader;
  return known.dim == how.dim && known.factor == how.factor &&
         known.isTerm == how.isTerm && !other;
}

bool CarriedMargins::carryOperands(Operation *op, const PlacementRule &rule,
                                   int factor, const Carried &how) {
  bool isMade = isa<BroadcastOp, FillOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    const auto &value = rule.operands[operand.getOperandNumber()];
    RulePlace place = placeOf(rule, value, layoutOf(operand.get()), factor);
    if (!place.isThere)
      continue;
    if (place.dim < 0 || value.isLike) {
      blocked = op;
      return false;
    }
    if (!carryOn(operand.get(), {place.dim, place.factor, how.reader, false}))
      return false;
    isMade = true;
  }
  if (!isMade)
    blocked = op;
  return isMade;
}

bool CarriedMargins::carry(Value value, Carried how) {
  size_t values = carried.size(), ops = inside.size();
  if (carryOn(value, how))
    return true;
  // What could be carried on the way has its own part as before.
  while (carried.size() > values)
    carried.pop_back();
  while (inside.size() > ops)
    inside.pop_back();
  return false;
}

bool CarriedMargins::carryOn(Value value, Carried how) {
  if (find(value))
    return add(value, how);
  Operation *op = value.getDefiningOp();
  auto refuse = [&](Operation *at) {
    blocked = at;
    refused.insert(value);
    return false;
  };
  if (!op || refused.contains(value))
    return refuse(op);
  if (auto exchange = dyn_cast<ExchangeOp>(op))
    return isFor(exchange, how.reader) ? add(value, how) : refuse(op);
  if (dependsOnOthers(op))
    return refuse(op);
  PlacementRule rule = cast<PlacedOp>(op).getPlacementRule();
  unsigned number = cast<OpResult>(value).getResultNumber();
  int factor =
      ruleFactor(rule, rule.results[number], layoutOf(value).getDims()[how.dim],
                 how.dim, how.factor);
  if (factor < 0 || !isPointwise(rule.factors[factor]))
    return refuse(op);
  if (!carryOperands(op, rule, factor, how))
    return refuse(blocked);
  for (OpResult result : op->getResults()) {
    RulePlace place = placeOf(rule, rule.results[result.getResultNumber()],
                              layoutOf(result), factor);
    if (!place.isThere || place.dim < 0 ||
        !add(result, {place.dim, place.factor, how.reader, false}))
      return refuse(op);
  }
  inside.insert(op);
  return true;
}

LogicalResult CarriedMargins::startAt(WindowedOp op) {
  for (auto [number, window] : llvm::enumerate(op.getWindows()))
    for (Value positions : op.getPositions()) {
      if (!window)
        continue;
      Carried how{op.getPositionsDim(positions, number), 0, op, false};
      how.isTerm = positions.getDefiningOp() == op.getOperation();
      if (how.isTerm ? !add(positions, how) : !carry(positions, how))
        return op.emitError()
               << "not supported yet: margins of what its keys and values are "
                  "made of; leave out `from`";
    }
  inside.insert(op);
  return success();
}

/// All else that the operation reads of these positions has their margins too:
/// what a term is multiplied by is computed there, and what is added to it is a
/// gradient that is whole already, without terms there.
bool CarriedMargins::meetTerms(Operation *op, const PlacementRule &rule,
                               int factor, const Carried &term) {
  auto binary = dyn_cast<BinaryOp>(op);
  bool addsUp =
      isa<ConcatOp>(op) || (binary && (binary.getKind() == BinaryKind::Add ||
                                       binary.getKind() == BinaryKind::Sub));
  for (OpOperand &operand : op->getOpOperands()) {
    const auto &value = rule.operands[operand.getOperandNumber()];
    RulePlace place = placeOf(rule, value, layoutOf(operand.get()), factor);
    if (!place.isThere)
      continue;
    if (place.dim < 0 || value.isLike)
      return false;
    Carried how{place.dim, place.factor, term.reader, false};
    const Carried *known = find(operand.get());
    if (known && known->isTerm) {
      how.isTerm = true;
      if (!add(operand.get(), how))
        return false;
    } else if (addsUp) { // each rank adds what it owns, once
      zeros[&operand] = how;
    } else if (!carry(operand.get(), how)) {
      return false;
    }
  }
  return true;
}

/// Whether it cuts or joins what has margins. Else ranks that hold the same
/// positions, and the same margins of them, exchange what they have there.
static bool movesPositions(RedistributeOp move, const Carried &how) {
  auto cuts = [&](Value value, StringRef axis) {
    SplitAttr split = layoutOf(value).splitOver(axis);
    return split && split.getDim() == how.dim &&
           split.getFactor() == how.factor;
  };
  return llvm::any_of(
      move.getAxes().getAsValueRange<StringAttr>(), [&](StringRef axis) {
        return cuts(move.getX(), axis) || cuts(move.getResult(), axis);
      });
}

LogicalResult CarriedMargins::followTerm(Operation *op, const Carried &term) {
  auto refuse = [&] {
    return op->emitError() << "not supported yet: a gradient of what attention "
                              "reads in margins is read here, before it is "
                              "added up; leave out `from`";
  };
  inside.insert(op);
  if (isa<ExchangeOp>(op))
    return success();
  if (auto move = dyn_cast<RedistributeOp>(op))
    return !movesPositions(move, term) && add(move.getResult(), term)
               ? success()
               : refuse();
  auto reduce = dyn_cast<ReduceOp>(op);
  if (dependsOnOthers(op))
    return refuse();
  PlacementRule rule = cast<PlacedOp>(op).getPlacementRule();
  int factor = -1;
  for (OpOperand &operand : op->getOpOperands())
    if (const Carried *known = find(operand.get()); known && known->isTerm)
      factor = ruleFactor(rule, rule.operands[operand.getOperandNumber()],
                          layoutOf(operand.get()).getDims()[known->dim],
                          known->dim, known->factor);
  if (factor < 0 || rule.factors[factor].window ||
      rule.factors[factor].windowsOf >= 0 || !meetTerms(op, rule, factor, term))
    return refuse();
  for (OpResult result : op->getResults()) {
    RulePlace place = placeOf(rule, rule.results[result.getResultNumber()],
                              layoutOf(result), factor);
    if (!place.isThere && (!reduce || reduce.getKind() == ReduceKind::Sum))
      continue; // a sum over positions, of which this rank has terms
    if (place.dim < 0 || !isPointwise(rule.factors[factor]) ||
        !add(result, {place.dim, place.factor, term.reader, true}))
      return refuse();
  }
  return success();
}

LogicalResult CarriedMargins::follow(nn::FuncOp func) {
  for (Operation &op : func.getBody().front()) {
    if (auto windowed = dyn_cast<WindowedOp>(op);
        windowed && op.hasAttr(kHaloFrom)) {
      if (failed(startAt(windowed)))
        return failure();
      continue;
    }
    for (Value operand : op.getOperands())
      if (const Carried *known = find(operand); known && known->isTerm) {
        if (failed(followTerm(&op, Carried(*known))))
          return failure();
        break;
      }
  }
  return success();
}
