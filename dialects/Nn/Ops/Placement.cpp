//===- Placement.cpp - nn.value and nn.redistribute -----------------------===//

#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult ValueOp::verify() {
  if (!haveSameFactors(getX(), getResult())) // (C1)
    return emitOpError() << "is the identity, but x is "
                         << describe(getX().getType()) << " and the result "
                         << describe(getType());
  return success();
}

PlacementRule ValueOp::getPlacementRule() {
  RuleBuilder rule(*this);
  rule.addBroadcasting({0});
  rule.partial(0, PartialUse::Any);
  return rule.take();
}

namespace {
/// What a value is on one axis: 'R', 'S' or 'P'.
struct OnAxis {
  char letter = 'R';
  SplitAttr split;
  PartialAttr partial;

  bool operator==(const OnAxis &other) const {
    return split == other.split && partial == other.partial;
  }
};

struct Kind {
  char from, to;
};
} // namespace

static OnAxis onAxis(LayoutAttr layout, StringRef axis) {
  if (SplitAttr split = layout.splitOver(axis))
    return {'S', split, {}};
  if (PartialAttr partial = layout.partialOver(axis))
    return {'P', {}, partial};
  return {};
}

static Kind kindOf(RedistributeKind kind) {
  switch (kind) {
  case RedistributeKind::AllReduce:
    return {'P', 'R'};
  case RedistributeKind::ReduceScatter:
    return {'P', 'S'};
  case RedistributeKind::AllGather:
    return {'S', 'R'};
  case RedistributeKind::AllToAll:
  case RedistributeKind::Repartition:
    return {'S', 'S'};
  case RedistributeKind::Slice:
    return {'R', 'S'};
  case RedistributeKind::Broadcast:
    return {'R', 'R'};
  case RedistributeKind::Mask:
    return {'R', 'P'};
  }
  llvm_unreachable("an enumerator");
}

static bool isMoved(ArrayAttr axes, StringAttr axis) {
  return llvm::is_contained(axes, axis);
}

/// (C2) on one of the axes: from and to are what the kind says.
static LogicalResult verifyAxis(RedistributeOp op, Kind kind, StringRef axis) {
  OnAxis from = onAxis(layoutOf(op.getX()), axis);
  OnAxis to = onAxis(layoutOf(op.getResult()), axis);
  if (from.letter != kind.from || to.letter != kind.to)
    return op.emitOpError()
           << "goes from " << kind.from << " to " << kind.to << " over '"
           << axis << "', but x is " << from.letter << " and the result "
           << to.letter << " there";
  bool isSameFactor = from.split && to.split &&
                      from.split.getDim() == to.split.getDim() &&
                      from.split.getFactor() == to.split.getFactor();
  if (op.getKind() == RedistributeKind::AllToAll && isSameFactor)
    return op.emitOpError() << "splits another factor over '" << axis
                            << "', but x and the result are split alike";
  if (op.getKind() == RedistributeKind::Repartition && !isSameFactor)
    return op.emitOpError() << "splits the same factor over '" << axis
                            << "', but x and the result are split by others";
  if (op.getKind() == RedistributeKind::Mask &&
      to.partial.getReduction() != Reduction::Sum)
    return op.emitOpError()
           << "makes a P(sum) over '" << axis << "', but the result is P("
           << stringifyReduction(to.partial.getReduction()) << ") there";
  return success();
}

/// (C3) of a factor that several axes split, those that move are the minor
/// ones: otherwise the parts of the others would move as well.
static LogicalResult verifyNesting(RedistributeOp op, StringRef which,
                                   LayoutAttr layout) {
  SplitAttr moved;
  for (SplitAttr split : layout.getSplits()) {
    bool isSameFactor = moved && moved.getDim() == split.getDim() &&
                        moved.getFactor() == split.getFactor();
    if (isMoved(op.getAxes(), split.getAxis()))
      moved = split;
    else if (isSameFactor)
      return op.emitOpError()
             << "moves axis " << moved.getAxis() << ", inside of which "
             << split.getAxis() << " splits the same factor of " << which
             << "; the axes that move must be the inner ones";
  }
  return success();
}

LogicalResult RedistributeOp::verify() {
  Kind kind = kindOf(getKind());
  if (!haveSameFactors(getX(), getResult())) // (C1)
    return emitOpError() << "keeps element type and factors, but x is "
                         << describe(getX().getType()) << " and the result "
                         << describe(getType());
  if (getAxes().empty())
    return emitOpError() << "needs an axis";
  llvm::SmallVector<StringRef> seen;
  for (StringRef axis : getAxes().getAsValueRange<StringAttr>()) {
    if (llvm::is_contained(seen, axis))
      return emitOpError() << "names axis '" << axis << "' twice";
    seen.push_back(axis);
    if (failed(verifyAxis(*this, kind, axis))) // (C2)
      return failure();
  }
  if (getRoot() && getKind() != RedistributeKind::Broadcast)
    return emitOpError() << "has a root, which only a broadcast has";
  LayoutAttr from = layoutOf(getX()), to = layoutOf(getResult());
  auto unmoved = [&](LayoutAttr layout) {
    SmallVector<SplitAttr> splits;
    SmallVector<PartialAttr> partials;
    for (SplitAttr split : layout.getSplits())
      if (!isMoved(getAxes(), split.getAxis()))
        splits.push_back(split);
    for (PartialAttr partial : layout.getPartials())
      if (!isMoved(getAxes(), partial.getAxis()))
        partials.push_back(partial);
    return from.withPlacement(splits, partials);
  };
  if (unmoved(from) != unmoved(to)) // (C2)
    return emitOpError() << "changes the placement from "
                         << describePlacement(from) << " to "
                         << describePlacement(to) << ", not only over its axes";
  if (failed(verifyNesting(*this, "x", from)) || // (C3)
      failed(verifyNesting(*this, "the result", to)))
    return failure();
  return verifyMoveHook(*this, getHookAttr(), // (C4)
                        stringifyRedistributeKind(getKind()));
}
