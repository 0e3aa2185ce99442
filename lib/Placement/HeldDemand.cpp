//===- HeldDemand.cpp - what ranks are asked to hold of values ------------===//
//
// A value can be had in margins where the placement rule of what makes it has
// the positions as a pointwise factor: each is computed of that position alone,
// so a rank can compute those of others too.
//
//===----------------------------------------------------------------------===//

#include "HeldDemand.h"
#include "dialects/Nn/BackwardSync.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static bool isPointwise(const nn::PlacementRule::Factor &factor) {
  return factor.use == nn::FactorUse::Pointwise && !factor.window &&
         factor.windowsOf < 0;
}

/// Whether what is exchanged is what these windows read.
static bool isFor(nn::ExchangeOp op, nn::WindowedOp reader) {
  return llvm::all_of(reader.getWindows(), [&](const auto &window) {
    return !window || (window->low == int64_t(op.getBefore()) &&
                       window->high == int64_t(op.getAfter()));
  });
}

nn::HeldAttr HeldDemand::find(Value value) const {
  auto found = all.find(value);
  return found == all.end() ? nn::HeldAttr() : found->second.front().held;
}

bool HeldDemand::ask(Value value, nn::HeldAttr held, nn::WindowedOp reader,
                     Operation *from) {
  readers.insert(reader);
  return follow(value, {held, reader, from});
}

static bool areOfOnePlace(nn::HeldAttr a, nn::HeldAttr b) {
  return a.getDim() == b.getDim() && a.getFactor() == b.getFactor();
}

/// False where it is asked for another part, or cut otherwise.
bool HeldDemand::add(Value value, const Asked &asked) {
  auto own = nn::heldParts(nn::layoutOf(value), asked.held.getDim(),
                           asked.held.getFactor(), mesh);
  if (own.size() != asked.held.getBegins().size()) {
    blocked = value.getDefiningOp();
    return false;
  }
  SmallVector<Asked, 1> &list = all[value];
  for (const Asked &known : list)
    if (areOfOnePlace(known.held, asked.held)) {
      other = known.held == asked.held ? nullptr : known.reader;
      return !other;
    }
  list.push_back(asked);
  return true;
}

bool HeldDemand::follow(Value value, const Asked &asked) {
  if (llvm::any_of(all.lookup(value), [&](const Asked &known) {
        return areOfOnePlace(known.held, asked.held);
      }))
    return add(value, asked);
  Operation *op = value.getDefiningOp();
  auto refuse = [&](Operation *at) {
    blocked = at;
    return false;
  };
  if (auto exchange = dyn_cast_or_null<nn::ExchangeOp>(op))
    return isFor(exchange, cast<nn::WindowedOp>(asked.reader))
               ? add(value, asked)
               : refuse(op);
  if (op && op == asked.from)
    return add(value, asked);
  if (!op || !nn::computesAlone(op))
    return refuse(op);
  nn::PlacementRule rule = cast<nn::PlacedOp>(op).getPlacementRule();
  int64_t dim = asked.held.getDim();
  int factor = nn::ruleFactor(
      rule, rule.results[cast<OpResult>(value).getResultNumber()],
      nn::layoutOf(value).getDims()[dim], dim, asked.held.getFactor());
  if (factor < 0 || !isPointwise(rule.factors[factor]))
    return refuse(op);
  if (!followOperands(op, rule, factor, asked))
    return false;
  for (OpResult result : op->getResults()) {
    nn::RulePlace place =
        nn::placeOf(rule, rule.results[result.getResultNumber()],
                    nn::layoutOf(result), factor);
    if (place.dim < 0)
      return refuse(op);
    if (!add(result, asked.at(place)))
      return false;
  }
  inside.insert(op);
  return true;
}

bool HeldDemand::followOperands(Operation *op, const nn::PlacementRule &rule,
                                int factor, const Asked &asked) {
  bool isMade = isa<nn::BroadcastOp, nn::FillOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    const auto &value = rule.operands[operand.getOperandNumber()];
    nn::RulePlace place =
        nn::placeOf(rule, value, nn::layoutOf(operand.get()), factor);
    if (!place.isThere)
      continue;
    if (place.dim < 0 || value.isLike) {
      blocked = op;
      return false;
    }
    if (!follow(operand.get(), asked.at(place)))
      return false;
    isMade = true;
  }
  if (!isMade)
    blocked = op;
  return isMade;
}

/// Whether an operation reads an operand as it is asked for: what slides has
/// margins of what it slides over only.
bool HeldDemand::reads(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  if (!readers.contains(op))
    return inside.contains(op);
  nn::PlacementRule rule = cast<nn::PlacedOp>(op).getPlacementRule();
  return llvm::any_of(rule.operands[operand.getOperandNumber()].dims,
                      [&](const auto &factors) {
                        return llvm::any_of(factors, [&](int factor) {
                          return factor >= 0 && rule.factors[factor].window;
                        });
                      });
}

/// What is owned is not said to be held.
static nn::LayoutAttr holding(nn::LayoutAttr layout, nn::HeldAttr held,
                              nn::MeshAttr mesh) {
  auto own = nn::heldParts(layout, held.getDim(), held.getFactor(), mesh);
  bool isOwn = true;
  for (auto [part, begin, end] :
       llvm::zip_equal(own, held.getBegins(), held.getEnds()))
    isOwn &= part.offset == begin && part.offset + part.size == end;
  return isOwn ? layout : layout.holding(held);
}

void HeldDemand::answer(nn::FuncOp func) {
  for (auto &[value, list] : all)
    for (const Asked &asked : list)
      value.setType(
          nn::withLayout(cast<RankedTensorType>(value.getType()),
                         holding(nn::layoutOf(value), asked.held, mesh)));
  for (Operation &op : func.getBody().front())
    readOwn(op);
}

/// The value before it was exchanged, which is what ranks own; null if it has
/// been computed since, or lines move its gradient.
static Value ownBefore(Value x, nn::LayoutAttr owned) {
  while (nn::layoutOf(x) != owned) {
    Operation *op = x.getDefiningOp();
    auto exchange = dyn_cast_or_null<nn::ExchangeOp>(op);
    if (exchange && !exchange.getBack())
      x = exchange.getXs()[cast<OpResult>(x).getResultNumber()];
    else if (isa_and_nonnull<nn::ValueOp>(op) &&
             !op->hasAttr(nn::kBackwardSyncs))
      x = op->getOperand(0);
    else
      return {};
  }
  return x;
}

/// Of what it does not read as that was asked for.
void HeldDemand::readOwn(Operation &op) {
  OpBuilder builder(&op);
  llvm::SmallDenseMap<Value, Value> taken;
  for (OpOperand &operand : op.getOpOperands()) {
    Value x = operand.get();
    if (reads(operand) || !find(x))
      continue;
    Value &own = taken[x];
    if (!own) {
      nn::LayoutAttr owned = nn::layoutOf(x).withoutHeld();
      own = ownBefore(x, owned);
      if (!own) {
        own = nn::holdAs(builder, op.getLoc(), x, owned);
        if (Attribute part = op.getAttr(nn::kRecompute); part && own != x)
          own.getDefiningOp()->setAttr(nn::kRecompute, part);
      }
    }
    operand.set(own);
  }
}
