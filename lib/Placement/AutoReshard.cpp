//===- AutoReshard.cpp - mending a mismatch -------------------------------===//
//
// Under `auto reshard` the cheapest redistribution is inserted where placements
// don't meet. Without it the same is done after the error was reported, so that
// what follows from it is not reported as well.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "RuleSpace.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;
using Kind = Mismatch::Kind;

/// True if every use of `value` is at or after `op`, or renames it for such.
static bool isUsedFrom(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (!user->isBeforeInBlock(op))
      return true;
    return isa<nn::ValueOp>(user) && isUsedFrom(user->getResult(0), op);
  });
}

/// Where to move an operand: at the outermost name of the value that nobody has
/// used before, so that a sync line can say it and one move serves all uses.
Value Placer::movePoint(Operation *op, Value value) {
  Value point = value, inner = value;
  while (auto named = inner.getDefiningOp<nn::ValueOp>()) {
    Value outer = named.getX();
    bool isNamed = outer.getDefiningOp<nn::ValueOp>() != nullptr;
    if (!isUsedFrom(outer, op) || (autoReshard && !isNamed))
      break;
    point = outer;
    inner = outer;
  }
  return point;
}

/// Whether an attention line moved it, behind where a sync line would.
static bool isMovedForAttention(Value value, const Origins &origins,
                                nn::MeshAttr mesh) {
  while (auto moved = value.getDefiningOp<nn::RedistributeOp>()) {
    for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis)
      if (isa_and_present<sched::AttentionOp>(
              origins.of(value, axis).directive))
        return true;
    value = moved.getX();
  }
  return false;
}

bool Placer::moveOperand(Operation *op, unsigned operand, RedistributeKind kind,
                         ArrayRef<unsigned> axes, nn::LayoutAttr target) {
  Value value = op->getOperand(operand);
  Value point = movePoint(op, value);
  nn::LayoutAttr layout = nn::layoutOf(point);
  // Names differ along the way, positions don't.
  target = layout.withPlacement(target.getSplits(), target.getPartials());
  Location loc =
      point.getDefiningOp() ? point.getDefiningOp()->getLoc() : op->getLoc();
  bool movesNames = isUsedFrom(point, op);
  Value moved = redistribute(point, kind, axes, target, loc);
  point.replaceUsesWithIf(moved, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != moved.getDefiningOp() &&
           (!user->isBeforeInBlock(op) ||
            (movesNames && isa<nn::ValueOp>(user)));
  });
  // Renamings between there and here take the new placement.
  SmallVector<Value> pending{moved};
  for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
    Origin origin;
    bool isMoved = llvm::is_contained(axes, axis);
    origin.kind = isMoved ? Origin::Kind::Repaired : Origin::Kind::Through;
    origin.from = point;
    origin.op = moved.getDefiningOp();
    origins.set(moved, axis, origin);
  }
  while (!pending.empty()) {
    Value current = pending.pop_back_val();
    for (Operation *user : current.getUsers())
      if (isa<nn::ValueOp>(user) && user->isBeforeInBlock(op)) {
        Value renamed = user->getResult(0);
        renamed.setType(
            nn::withLayout(cast<RankedTensorType>(renamed.getType()),
                           nn::layoutOf(renamed).withPlacement(
                               target.getSplits(), target.getPartials())));
        pending.push_back(renamed);
      }
  }
  if (autoReshard)
    recordMove(op, point, moved, kind, axes,
               /*isNamed=*/!isMovedForAttention(point, origins, mesh));
  return true;
}

/// What was inserted for an operand of `op`, with the line that says the same
/// where there is one.
void Placer::recordMove(Operation *op, Value point, Value moved,
                        RedistributeKind kind, ArrayRef<unsigned> axes,
                        bool isNamed) {
  nn::LayoutAttr layout = nn::layoutOf(point), target = nn::layoutOf(moved);
  InsertedSync record;
  WayOut way;
  record.path = modelPath(op);
  record.model = op->getLoc();
  SmallVector<StringRef> names;
  for (unsigned axis : axes)
    names.push_back(mesh.getAxes()[axis].getName().getValue());
  record.bytes =
      sentBytes(kind, cast<RankedTensorType>(point.getType()),
                cast<RankedTensorType>(moved.getType()), mesh, names);
  if (isNamed && syncPoint(func, point, way) && point.hasOneUse()) {
    record.path = way.path;
    way.op = stringifyRedistributeKind(kind).str();
    way.over.assign(names.begin(), names.end());
    nn::SplitAttr from = layout.splitOver(names.front());
    nn::SplitAttr to = target.splitOver(names.front());
    if (kind == RedistributeKind::Repartition) // what is cut stays the same
      from = {};
    auto name = [&](nn::SplitAttr split) {
      return axisName(layout,
                      {unsigned(split.getDim()), unsigned(split.getFactor())});
    };
    if (from)
      way.axis = name(from);
    if (to) {
      (from ? way.to : way.axis) = name(to);
      SmallVector<nn::SplitAttr> made;
      for (StringRef moved : names)
        made.push_back(target.splitOver(moved));
      way.cuts = lineCuts.of(target, made);
    }
    // A factor without a name inside a dim cannot be said.
    bool canBeSaid = (!from && !to) ||
                     (!way.axis.empty() && (!from || !to || !way.to.empty()));
    if (canBeSaid)
      record.line = way.line();
  }
  inserted.push_back(std::move(record));
}

/// The layout with the axes whole.
static nn::LayoutAttr retarget(nn::LayoutAttr layout, ArrayRef<unsigned> axes,
                               nn::MeshAttr mesh) {
  return wholeOver(layout, namesOf(axes, mesh));
}

/// `axis` and what is nested inside it, of the factor that it splits.
static SmallVector<unsigned> fromAxis(nn::LayoutAttr layout, unsigned axis,
                                      nn::MeshAttr mesh) {
  return llvm::map_to_vector(
      nestedFrom(layout, mesh.getAxes()[axis].getName()),
      [&](StringAttr name) { return unsigned(mesh.getIndex(name)); });
}

bool Placer::gatherOperand(Operation *op, unsigned operand, unsigned axis) {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
  SmallVector<unsigned> axes = fromAxis(layout, axis, mesh);
  return !axes.empty() && moveOperand(op, operand, RedistributeKind::AllGather,
                                      axes, retarget(layout, axes, mesh));
}

bool Placer::reduceOperand(Operation *op, unsigned operand, unsigned axis) {
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
  return moveOperand(op, operand, RedistributeKind::AllReduce, {axis},
                     retarget(layout, {axis}, mesh));
}

static int64_t gatherBytes(Value value, unsigned axis, nn::MeshAttr mesh) {
  auto type = cast<RankedTensorType>(value.getType());
  nn::LayoutAttr layout = nn::layoutOf(type);
  SmallVector<unsigned> axes = fromAxis(layout, axis, mesh);
  SmallVector<StringRef> names;
  for (unsigned moved : axes)
    names.push_back(mesh.getAxes()[moved].getName().getValue());
  return sentBytes(RedistributeKind::AllGather, type,
                   nn::withLayout(type, retarget(layout, axes, mesh)), mesh,
                   names);
}

/// Cutting what is whole sends nothing, but where the op sums over the factor
/// its result is partial and has to be reduced.
static bool sliceIsCheaper(Operation *op, const nn::PlacementRule &rule,
                           const Mismatch &m, nn::MeshAttr mesh) {
  if (rule.factors[m.factor].use != nn::FactorUse::Contracted)
    return true;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  StringRef axis = mesh.getAxes()[m.axis].getName().getValue();
  return sentBytes(RedistributeKind::AllReduce, type, type, mesh, {axis}) <=
         gatherBytes(op->getOperand(m.other), m.axis, mesh);
}

/// The splits by which `operand` is cut over the axis as `other` is, with the
/// axes that cut the factor of `other` before it. Empty if it cannot be, or if
/// one of these axes is not what the axis is to it, whole or partial.
static SmallVector<nn::SplitAttr> splitsAs(const nn::PlacementRule &rule,
                                           nn::MeshAttr mesh, Operation *op,
                                           unsigned operand, unsigned other,
                                           int factor, unsigned axis) {
  RuleSpace space(rule, mesh);
  SmallVector<Mismatch> ignored;
  RuleValue theirs = space.toRule(rule.operands[other],
                                  nn::layoutOf(op->getOperand(other)), ignored);
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
  RuleValue mine = space.toRule(rule.operands[operand], layout, ignored);
  if (theirs.ownCuts.test(factor) || mine.ownCuts.test(factor))
    return {};
  AxisCuts cuts = theirs.nesting[factor], own = mine.nesting[factor];
  while (!cuts.empty() && cuts.back().axis != axis)
    cuts.pop_back();
  if (own.size() >= cuts.size() || own != ArrayRef(cuts).take_front(own.size()))
    return {};
  for (const AxisCut &cut : ArrayRef(cuts).drop_front(own.size()))
    if (mine.axes[cut.axis].hold != mine.axes[axis].hold)
      return {};
  auto splits =
      space.splitsFor(rule.operands[operand], layout, factor, cuts, false);
  if (!splits)
    return {};
  splits->erase(splits->begin(), splits->begin() + own.size());
  return *splits;
}

/// Cuts the mismatch's operand by the factor as its other one is cut.
bool Placer::cutOperand(Operation *op, const nn::PlacementRule &rule,
                        const Mismatch &m, int factor, RedistributeKind kind) {
  SmallVector<nn::SplitAttr> splits =
      splitsAs(rule, mesh, op, m.operand, m.other, factor, m.axis);
  if (splits.empty())
    return false;
  nn::LayoutAttr layout = nn::layoutOf(op->getOperand(m.operand));
  SmallVector<unsigned> axes =
      llvm::map_to_vector(splits, [&](nn::SplitAttr split) {
        return unsigned(mesh.getIndex(split.getAxis()));
      });
  return moveOperand(op, m.operand, kind, axes,
                     cutBy(retarget(layout, axes, mesh), splits));
}

/// Cuts one of two operands as the other is cut, by what its ranks get of
/// others; the one of which fewer bytes move.
bool Placer::repart(Operation *op, const nn::PlacementRule &rule, Mismatch m) {
  RuleSpace space(rule, mesh);
  unsigned best = m.operand;
  nn::LayoutAttr target;
  SmallVector<unsigned> axes;
  int64_t least = 0;
  for (auto [operand, other] :
       {std::pair(m.operand, m.other), std::pair(m.other, m.operand)}) {
    nn::LayoutAttr layout = nn::layoutOf(op->getOperand(operand));
    SmallVector<nn::SplitAttr> splits =
        space.splitsLike(rule.operands[operand], layout, rule.operands[other],
                         nn::layoutOf(op->getOperand(other)), m.factor);
    if (splits.empty() || haveOtherOrders(layout, splits))
      continue;
    nn::LayoutAttr made = recut(layout, splits);
    SmallVector<unsigned> moved;
    SmallVector<StringRef> names;
    for (nn::SplitAttr split : splits) {
      moved.push_back(unsigned(mesh.getIndex(split.getAxis())));
      names.push_back(split.getAxis().getValue());
    }
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    int64_t bytes = sentBytes(RedistributeKind::Repartition, type,
                              nn::withLayout(type, made), mesh, names);
    if (!target || bytes < least) {
      best = operand, target = made, axes = moved, least = bytes;
    }
  }
  return target &&
         moveOperand(op, best, RedistributeKind::Repartition, axes, target);
}

bool Placer::mend(Operation *op, const nn::PlacementRule &rule,
                  const Mismatch &m) {
  unsigned axis = m.axis;
  Value operand = op->getOperand(m.isResult ? 0 : m.operand);
  switch (m.kind) {
  case Kind::PartialRefused:
  case Kind::TwoSums:
  case Kind::TwoReductions:
    return reduceOperand(op, m.operand, axis);
  case Kind::PartialAndSplit:
    return cutOperand(op, rule, m, m.otherFactor,
                      RedistributeKind::ReduceScatter) ||
           reduceOperand(op, m.operand, axis);
  case Kind::WholeAndSplit:
    if (autoReshard && sliceIsCheaper(op, rule, m, mesh) &&
        cutOperand(op, rule, m, m.factor, RedistributeKind::Slice))
      return true;
    return gatherOperand(op, m.other, axis);
  case Kind::TwoFactors: {
    bool first = gatherBytes(operand, axis, mesh) <=
                 gatherBytes(op->getOperand(m.other), axis, mesh);
    return gatherOperand(op, first ? m.operand : m.other, axis);
  }
  case Kind::Unaligned:
    if (!m.isResult &&
        llvm::is_contained(rule.operands[m.operand].picks, m.factor)) {
      bool isMoved = false; // keys and values go in pairs
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (llvm::is_contained(rule.operands[i].picks, m.factor))
          isMoved |= gatherOperand(op, i, axis);
      return isMoved;
    }
    if (m.isResult) {
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (gatherOperand(op, i, axis))
          return true;
      return false;
    }
    return gatherOperand(op, m.operand, axis) ||
           (op->getNumOperands() > 1 &&
            gatherOperand(op, m.operand == 0, axis));
  case Kind::NeedsLicence:
    if (!autoReshard)
      return assumed.insert({op, axis}).second;
    return gatherOperand(op, m.operand, axis);
  case Kind::NeedsHalo:
    return allowHalo(op, rule, m);
  case Kind::NeedsWhole:
  case Kind::NotInRule:
  case Kind::Ordered:
    return gatherOperand(op, m.operand, axis);
  case Kind::Sizes:
    if (autoReshard && repart(op, rule, m))
      return true;
    [[fallthrough]];
  case Kind::Nesting:
    return gatherOperand(op, m.operand, axis) ||
           gatherOperand(op, m.other, axis);
  }
  return false;
}
