//===- Attention.cpp - how an attention over a split sequence is computed -===//
//
// `attention PATH using ...` stands for the moves that a user would write at
// the operands and the result of an attention whose sequence is split:
//   heads       all_to_all to a split by heads, and back (DeepSpeed-Ulysses,
//               arXiv 2309.14509)
//   all_gather  keys and values whole on every rank
//   sequence    a halo of keys and values, where the mask is a window
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::readAttention(sched::AttentionOp attention) {
  auto axes = readAxes(attention, attention.getOver());
  std::vector<PathNode *> nodes = resolve(attention, attention.getPattern());
  bool isHalo = attention.getStrategy() == "sequence";
  if (!axes || (axes->empty() && !isHalo) || nodes.empty())
    return;
  Licence licence{attention, {}, *axes, {}};
  for (PathNode *node : nodes)
    licence.paths.push_back(node->path);
  (isHalo ? halos : strategies).push_back(std::move(licence));
}

/// One operand or result of an attention, moved over `axis`.
Value Placer::moveForAttention(Value value, const Licence &strategy,
                               unsigned axis, StringRef kind,
                               std::optional<FactorRef> to) {
  SmallVector<StringAttr> names = {mesh.getAxes()[axis].getName()};
  nn::LayoutAttr target = wholeOver(nn::layoutOf(value), names);
  if (to)
    target = cutOver(target, names, to->dim, to->factor);
  Location model =
      value.getDefiningOp() ? value.getDefiningOp()->getLoc() : value.getLoc();
  Value moved =
      redistribute(value, kind, axis, target,
                   madeBy(model, strategy.directive->getLoc()), std::nullopt);
  for (unsigned other = 0; other < mesh.getAxes().size(); ++other) {
    Origin origin;
    origin.kind = other == axis ? Origin::Kind::Sync : Origin::Kind::Through;
    origin.directive = other == axis ? strategy.directive : nullptr;
    origin.op = moved.getDefiningOp();
    origin.from = value;
    origins.set(moved, other, origin);
  }
  return moved;
}

bool Placer::isAttention(Operation *op) {
  return isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(op);
}

/// Whether positions are counted by this dim of q, k, v or the result, of
/// [batch, heads, positions..., head dim].
static bool isPosition(Value value, nn::SplitAttr split) {
  int64_t rank = nn::layoutOf(value).getDims().size();
  return split && split.getDim() >= 2 && split.getDim() < rank - 1;
}

void Placer::prepareAttention(Operation *op) {
  std::string path = modelPath(op);
  auto attention = dyn_cast<nn::AttentionOp>(op);
  Value keep = attention ? attention.getKeep() : Value();
  for (Licence &strategy : strategies) {
    if (!strategy.covers(path))
      continue;
    bool byHeads =
        cast<sched::AttentionOp>(strategy.directive).getStrategy() == "heads";
    for (unsigned axis : strategy.axes) {
      auto splitOf = [&](Value value) {
        return nn::layoutOf(value).splitOver(axisText(axis));
      };
      Value q = op->getOperand(0);
      if (!isPosition(q, splitOf(q)))
        continue;
      strategy.used.insert(axis);
      // Of the mask only keys can be split; padding goes with every head.
      for (OpOperand &operand : op->getOpOperands()) {
        unsigned number = operand.getOperandNumber();
        bool isKeys = number == 1 || number == 2;
        bool isKeep = keep && operand.get() == keep;
        nn::SplitAttr split = splitOf(operand.get());
        if (!split || (!byHeads && number == 0) ||
            (!isKeep && !isPosition(operand.get(), split)))
          continue;
        bool exchanges = byHeads && (number == 0 || isKeys);
        if (exchanges)
          operand.set(moveForAttention(operand.get(), strategy, axis,
                                       "all_to_all", FactorRef{1, 0}));
        else if (isKeys || (isKeep && split.getDim() == 1))
          operand.set(moveForAttention(operand.get(), strategy, axis,
                                       "all_gather", std::nullopt));
      }
    }
  }
}

/// The dim that an axis split of a value before it was moved over that axis.
static int64_t dimBeforeMove(Value moved, StringAttr axis) {
  for (;;) {
    auto move = moved.getDefiningOp<nn::RedistributeOp>();
    moved = move.getX();
    if (llvm::is_contained(move.getAxes(), axis))
      return nn::layoutOf(moved).splitOver(axis.getValue()).getDim();
  }
}

void Placer::finishAttention(Operation *op) {
  std::string path = modelPath(op);
  Value value = op->getResult(0);
  for (const Licence &strategy : llvm::reverse(strategies)) {
    if (!strategy.covers(path) ||
        cast<sched::AttentionOp>(strategy.directive).getStrategy() != "heads")
      continue;
    for (unsigned axis : llvm::reverse(strategy.axes)) {
      nn::SplitAttr split = nn::layoutOf(value).splitOver(axisText(axis));
      if (!split || split.getDim() != 1 || !strategy.used.count(axis))
        continue;
      int64_t dim =
          dimBeforeMove(op->getOperand(0), mesh.getAxes()[axis].getName());
      Value moved = moveForAttention(value, strategy, axis, "all_to_all",
                                     FactorRef{unsigned(dim), 0});
      value.replaceAllUsesExcept(moved, moved.getDefiningOp());
      value = moved;
    }
  }
}

void Placer::checkStrategies() {
  for (const Licence &strategy : strategies)
    for (unsigned axis : strategy.axes)
      if (!strategy.used.count(axis))
        problems
            .addAt(strategy.directive,
                   "attention of " + strategy.pattern() + " over " +
                       axisText(axis) +
                       " has no effect: the sequence of no query is split "
                       "there",
                   strategy.paths.front())
            .note("leave this line out");
}
