//===- CutAtSource.cpp - free values computed in parts --------------------===//
//
// What is computed of parameters, constants and iotas alone is cut where it is
// needed. Where it is as large as the scores of an attention, no rank should
// make the whole to read a part: so what it is computed of is cut instead, as
// far back as each element comes of few,
//
//   %bias = rearrange(embedding(%table, %ids))
//   ... slice %bias axis queries over cp
//   -->
//   %part = slice %ids axis queries over cp
//   ... rearrange(embedding(%table, %part))
//
// and the gradient of %table is a sum of terms of its own size.
//
//===----------------------------------------------------------------------===//

#include "Placer.h"
#include "Relayout.h"
#include "RuleSpace.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// Whether a part of the result takes a part of the work.
static bool isComputedInParts(Operation *op) {
  return isa_and_present<nn::UnaryOp, nn::BinaryOp, nn::WhereOp, nn::CastOp,
                         nn::RearrangeOp, nn::BroadcastOp, nn::EmbeddingOp>(op);
}

/// What the names of a value name.
static Value withoutNames(Value value) {
  while (auto named = value.getDefiningOp<nn::ValueOp>())
    value = named->getOperand(0);
  return value;
}

static bool isWhole(Value value) {
  nn::LayoutAttr layout = nn::layoutOf(value);
  return layout == layout.withoutPlacement();
}

/// Of each operand what the part `target` of the result reads; empty where
/// types cannot say it.
static SmallVector<nn::LayoutAttr>
partsOfOperands(Operation *op, nn::LayoutAttr target, nn::MeshAttr mesh) {
  nn::PlacementRule rule = cast<nn::PlacedOp>(op).getPlacementRule();
  RuleSpace space(rule, mesh);
  SmallVector<Mismatch> mismatches;
  RuleValue placed = space.toRule(rule.results[0], target, mismatches);
  SmallVector<nn::LayoutAttr> parts;
  for (auto [operand, value] : llvm::zip(op->getOperands(), rule.operands))
    parts.push_back(
        space.toType(value, nn::layoutOf(operand), placed, mismatches));
  return mismatches.empty() ? parts : SmallVector<nn::LayoutAttr>();
}

/// The operation on parts, if it gives this part; else null.
Operation *Placer::computeInParts(Operation *op, nn::LayoutAttr target) {
  SmallVector<nn::LayoutAttr> parts = partsOfOperands(op, target, mesh);
  if (parts.empty())
    return nullptr;
  SmallVector<Value> operands;
  for (auto [operand, part] : llvm::zip(op->getOperands(), parts))
    operands.push_back(cutAtSource(op, operand, part));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  MeetResult met =
      meetOperands(copy, cast<nn::PlacedOp>(copy).getPlacementRule());
  bool isPart = met.mismatches.empty() && met.results[0] == target &&
                met.statistics.empty() && met.halos.empty();
  for (auto [number, operand] : llvm::enumerate(operands))
    isPart = isPart && met.masked[number] == nn::layoutOf(operand);
  if (isPart)
    return copy;
  copy->erase();
  return nullptr;
}

Value Placer::cutAtSource(Operation *user, Value value, nn::LayoutAttr target) {
  Value source = withoutNames(value);
  Operation *op = source.getDefiningOp();
  if (nn::layoutOf(value) == target || !isFree(source) || !isWhole(source) ||
      !isComputedInParts(op))
    return placeFor(user, value, target, RedistributeKind::Slice);
  auto key = std::tuple(source.getAsOpaquePointer(),
                        target.getAsOpaquePointer(), RedistributeKind::Slice);
  if (auto known = cut.find(key); known != cut.end())
    return known->second;
  Operation *copy = computeInParts(op, target);
  if (!copy)
    return placeFor(user, value, target, RedistributeKind::Slice);
  Value part = copy->getResult(0);
  part.setType(nn::withLayout(cast<RankedTensorType>(part.getType()), target));
  freeValues.insert(part);
  for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
    Origin origin;
    origin.kind = Origin::Kind::Through;
    origin.from = source;
    origin.op = copy;
    origins.set(part, axis, origin);
  }
  return cut[key] = part;
}
