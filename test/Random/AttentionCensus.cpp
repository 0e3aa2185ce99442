//===- AttentionCensus.cpp - what attentions of a placed program are ------===//
//
// Of each attention its mask, its strategy, the order of its sequence, its
// heads and lengths by ranks, and each pair of a mask, a strategy and an order.
//
//===----------------------------------------------------------------------===//

#include "Census.h"
#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::random;

static std::string maskOf(Operation *op) {
  auto attention = dyn_cast<nn::AttentionOp>(op);
  if (!attention)
    return "neighborhood";
  std::string text;
  auto join = [&](const std::string &factor) {
    text += (text.empty() ? "" : " * ") + factor;
  };
  if (attention.getCausal())
    join("causal");
  if (attention.getBefore() || attention.getAfter())
    join("window");
  if (attention.getKeep())
    join("padding");
  if (auto layout = nn::blockLayoutOf(attention.getBlockLayoutAttr()))
    join("layout");
  return text.empty() ? "none" : text;
}

/// How an operand came here, past names and margins.
static nn::RedistributeOp moveOf(Value value) {
  while (isa_and_present<nn::ValueOp, nn::ExchangeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(
        cast<OpResult>(value).getResultNumber());
  return value.getDefiningOp<nn::RedistributeOp>();
}

static Value sourceOf(Value value) {
  while (nn::RedistributeOp moved = moveOf(value))
    value = moved.getX();
  return value;
}

static bool isMoved(Value value, nn::RedistributeKind kind) {
  nn::RedistributeOp moved = moveOf(value);
  return moved && moved.getKind() == kind;
}

static std::string strategyOf(Operation *op) {
  auto attention = dyn_cast<nn::AttentionOp>(op);
  bool isRing = attention && attention.getRing();
  bool isByHeads = isMoved(op->getOperand(0), nn::RedistributeKind::AllToAll);
  if (isByHeads)
    return isRing ? "heads x ring" : "heads";
  if (isRing)
    return "ring";
  if (isMoved(op->getOperand(1), nn::RedistributeKind::AllGather))
    return "all_gather";
  return "none or sequence";
}

/// Of the sequence of queries, before they were moved.
static std::string orderOf(Operation *op, nn::MeshAttr mesh) {
  nn::LayoutAttr layout = nn::layoutOf(sourceOf(op->getOperand(0)));
  auto splits = layout.splitsOf(2, 0);
  llvm::erase_if(splits, [&](nn::SplitAttr split) {
    return mesh.getSize(split.getAxis()) == 1;
  });
  if (splits.empty())
    return "whole";
  std::string nested = splits.size() > 1 ? ", nested" : "";
  nn::Ordering order = nn::orderOf(splits.front());
  if (order.isOrdered())
    return nn::stringifyOrder(order.kind).str() + nested;
  int64_t extent = layout.getDims()[2].getFactors()[0].getSize();
  auto sizes = nn::partSizes(extent, splits, mesh);
  std::string parts = llvm::is_contained(sizes, 0) ? "some empty"
                      : llvm::all_equal(sizes)     ? "even"
                                                   : "uneven";
  return "contiguous, " + parts + nested;
}

void random::addAttentions(ModuleOp placed, std::set<std::string> &found) {
  nn::MeshAttr mesh = nn::meshOf(placed);
  if (!mesh)
    return;
  placed.walk([&](Operation *op) {
    auto attention = dyn_cast<nn::AttentionOp>(op);
    if (!attention && !isa<nn::NeighborhoodAttentionOp>(op))
      return;
    auto add = [&](const std::string &group, const std::string &name) {
      found.insert("attention, " + group + " | " + name);
    };
    std::string mask = maskOf(op), strategy = strategyOf(op),
                order = orderOf(op, mesh);
    int64_t heads = nn::layoutOf(op->getOperand(0)).getDims()[1].getSize(),
            groups = nn::layoutOf(op->getOperand(1)).getDims()[1].getSize();
    add("mask", mask);
    add("strategy and order", strategy + ", " + order);
    add("strategy and mask", strategy + ", " + mask);
    add("heads of keys of those of queries",
        std::to_string(groups) + " of " + std::to_string(heads));
    if (nn::layoutOf(op->getOperand(1)).heldOf(/*dim=*/1, /*factor=*/0))
      add("kv heads that ranks share", strategy);
    if (attention && attention.getStep() &&
        attention.getDropout().convertToDouble() > 0)
      add("drops", strategy);
    if (auto layout = attention
                          ? nn::blockLayoutOf(attention.getBlockLayoutAttr())
                          : std::nullopt)
      add("layout", std::string(plan::toString(layout->kind)) +
                        (layout->perHead ? ", each head its own" : ""));
  });
}
