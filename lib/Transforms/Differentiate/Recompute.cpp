//===- Recompute.cpp - what the backward reads of the forward -------------===//
//
// A `recompute` line names parts of the model: each call of a module, or what
// computes a binding. The first derivative that reads a value of a part has it
// computed again there, from what enters the part:
//
//   forward    x0 -> [ h.0 ] -> x1 -> [ h.1 ] -> x2 -> loss
//   kept       x0               x1               x2
//   backward   h.1 again from x1, h.1's gradients, h.0 again from x0, ...
//
// What enters a part is kept, also where another part computes it (x1): else
// all parts would be computed again from x0, and live at once. Except what that
// part makes of its own operands without a product or a collective, a norm
// before attention say: then the operand alone is kept (isCheap).
//
//===----------------------------------------------------------------------===//

#include "Backward.h"
#include "dialects/Nn/BackwardSync.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Pinned.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Fuse.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::differentiation;

std::optional<int64_t> differentiation::partOf(Operation *op) {
  if (op)
    if (auto part = op->getAttrOfType<IntegerAttr>(nn::kRecompute))
      return part.getInt();
  return std::nullopt;
}

/// Whether computing `forward` from what enters the part takes no product, no
/// window and no collective.
bool Backward::isCheap(Value forward, int64_t part) {
  Operation *op = forward.getDefiningOp();
  if (partOf(op) != part)
    return true;
  auto [known, isNew] = cheap.try_emplace(forward, false);
  if (!isNew)
    return known->second;
  bool result =
      isa<nn::ValueOp, nn::UnaryOp, nn::BinaryOp, nn::WhereOp, nn::CastOp,
          nn::DropoutOp, nn::FillOp, nn::IotaOp, nn::LayerNormOp, nn::RmsNormOp,
          nn::NormalizeOp, nn::SoftmaxOp, nn::LogSumExpOp, nn::ReduceOp,
          nn::RotaryOp, nn::SliceOp, nn::ConcatOp, nn::RearrangeOp,
          nn::BroadcastOp, nn::HoldOp>(op) &&
      llvm::all_of(op->getOperands(),
                   [&](Value operand) { return isCheap(operand, part); });
  return cheap[forward] = result;
}

bool Backward::isComputedAgain(Value forward) {
  Operation *op = forward.getDefiningOp();
  std::optional<int64_t> part = partOf(op);
  return part && !op->hasAttr(nn::kGathered) &&
         (!reader || *reader == *part || isCheap(forward, *part));
}

Value Backward::compute(Value forward) {
  auto known = computed.find(forward);
  if (known != computed.end())
    return known->second;
  Operation *op = forward.getDefiningOp();
  std::optional<int64_t> outer = reader;
  reader = partOf(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(read(operand));
  if (!isViewOp(op) &&
      !isa<nn::FillOp, nn::IotaOp, nn::HoldOp>(op)) // costs nothing
    partsRead.insert(*reader);
  reader = outer;
  copyOf(op, operands);
  return computed.lookup(forward);
}

void Backward::copyOf(Operation *op, ValueRange operands) {
  Operation *copy = ops.clone(*op);
  copy->setOperands(operands);
  copy->setLoc(locationOf(op->getLoc(), ".again"));
  for (StringRef mark : {nn::kRecompute, nn::kDelayed, nn::kPinned})
    copy->removeAttr(mark);
  copy->setAttr(nn::kBackward, ops.getUnitAttr());
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    computed[from] = to;
}

/// What is computed again outside of where `forward` names it, with its dims.
Value Backward::nameAgain(Value again, Value forward) {
  if (nn::layoutOf(again).getDims() == nn::layoutOf(forward).getDims())
    return again;
  if (!computed.contains(forward))
    copyOf(forward.getDefiningOp(), again);
  return computed.lookup(forward);
}

/// Kept sharded: what a gather made for the forward is gathered again.
Value Backward::gatherAgain(nn::RedistributeOp gather) {
  if (Value again = gathered.lookup(gather))
    return again;
  Value kept = read(gather.getX()); // may gather other values again
  auto again = nn::RedistributeOp::create(
      ops, locationOf(gather.getLoc(), ".again"), gather.getType(), kept,
      gather.getKind(), gather.getAxes(), gather.getRootAttr(),
      gather.getHookAttr());
  again->setAttr(nn::kBackward, ops.getUnitAttr());
  if (Attribute unit = gather->getAttr(nn::kUnit))
    again->setAttr(nn::kUnit, unit);
  gathered[gather] = again;
  return again;
}

/// A value that has other names outside of its part is the value.
Value Backward::read(Value forward) {
  Value source = forward;
  while (!isComputedAgain(source)) {
    auto named = source.getDefiningOp<nn::ValueOp>();
    if (!named)
      break;
    source = named.getX();
  }
  if (isComputedAgain(source))
    return nameAgain(compute(source), forward);
  if (auto part = source.getDefiningOp<nn::HoldOp>()) // a view is not kept
    return nn::holdAs(ops, at, read(part.getX()), nn::layoutOf(part));
  auto gather = source.getDefiningOp<nn::RedistributeOp>();
  if (gather && gather.getKind() == nn::RedistributeKind::AllGather &&
      !gather->hasAttr(nn::kGathered))
    return gatherAgain(gather);
  return forward;
}

bool Backward::reportKeptAll() {
  auto parts = func->getAttrOfType<ArrayAttr>(nn::kRecomputed);
  if (!parts)
    return false;
  llvm::MapVector<Attribute, std::pair<StringAttr, bool>> lines;
  for (auto [index, attribute] : llvm::enumerate(parts)) {
    auto part = cast<DictionaryAttr>(attribute);
    auto &[pattern, isRead] = lines[part.get("line")];
    pattern = part.getAs<StringAttr>("pattern");
    isRead |= partsRead.contains(index);
  }
  bool any = false;
  for (auto &[line, found] : lines) {
    auto [pattern, isRead] = found;
    if (isRead)
      continue;
    any = true;
    InFlightDiagnostic error =
        emitError(Location(cast<LocationAttr>(line)))
        << "recompute of '" << pattern.getValue()
        << "' changes nothing: the backward reads nothing that it computes";
    error.attachNote() << "leave this line out";
  }
  return any;
}
