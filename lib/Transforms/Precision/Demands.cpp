//===- Demands.cpp - the types that values are needed in ------------------===//

#include "Demands.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::precision;

static bool isFloat32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

bool precision::isPartialSum(Value value) {
  return llvm::any_of(nn::layoutOf(value).getPartials(),
                      [](nn::PartialAttr partial) {
                        return partial.getReduction() == nn::Reduction::Sum;
                      });
}

Demands::Demands(nn::FuncOp func, Types types) : types(types) {
  Block &body = func.getBody().front();
  for (Value argument : body.getArguments())
    if (isFloat32(argument))
      kinds[argument] = Kind::Free;
  for (Value output : body.getTerminator()->getOperands()) {
    for (; output; output = output.getDefiningOp()->getOperand(0)) {
      outputs.insert(output);
      if (!output.getDefiningOp<nn::ValueOp>())
        break;
    }
  }
  for (Operation &op : body)
    classify(&op);
  for (Operation &op : llvm::reverse(body))
    ask(&op);
}

//===-- Down: of what kind values are -------------------------------------===//

bool Demands::isWidePartial(Value value) const {
  return types.reduce.isF32() && isPartialSum(value) && !exact.contains(value);
}

bool Demands::isMovedNarrow(nn::RedistributeOp op) const {
  return !types.reduce.isF32() && isPartialSum(op.getX()) &&
         (kindOf(op.getX()) != Kind::Hard ||
          (op->hasAttr(nn::kBackward) && outputs.contains(op.getResult())));
}

/// Nothing of a constant's size is lost; an infinity for a large number is.
static bool isRepresentable(APFloat value, FloatType type) {
  bool losesInfo = false;
  bool isNumber = value.isFiniteNonZero();
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return !isNumber || value.isFiniteNonZero();
}

Kind Demands::kindOfSource(Operation *op) const {
  // What a buffer holds goes into its next value, and is not to be rounded in
  // every step.
  if (isa<nn::ParameterOp>(op))
    return op->hasAttr(nn::kBuffer) ? Kind::Hard : Kind::Free;
  if (auto fill = dyn_cast<nn::FillOp>(op))
    return isRepresentable(fill.getValue(), types.compute) ? Kind::Free
                                                           : Kind::Hard;
  // A bool is 0 or 1 in any type; larger integers are not.
  if (auto cast = dyn_cast<nn::CastOp>(op))
    if (getElementTypeOrSelf(cast.getX()).isInteger(1))
      return Kind::Soft;
  return Kind::Hard;
}

Kind Demands::kindOfView(OpResult result) const {
  Value x = viewed(result);
  Kind kind = kindOf(x);
  bool completes = isWidePartial(x) && !isPartialSum(result);
  return completes && kind != Kind::Hard ? Kind::Soft : kind;
}

bool Demands::computesWide(Operation *op) const {
  auto isWideOnly = [&](Value operand) {
    return isTracked(operand) &&
           (kindOf(operand) == Kind::Hard || isWidePartial(operand));
  };
  auto isSum = [&](Value result) {
    return isTracked(result) && isWidePartial(result);
  };
  switch (rowOf(op)) {
  case Row::Rounded:
  case Row::Wide:
    return true;
  case Row::Product:
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isTracked(operand) && isWidePartial(operand);
    });
  case Row::Narrow:
    return llvm::any_of(op->getResults(), isSum);
  case Row::Like:
    return llvm::any_of(op->getOperands(), isWideOnly) ||
           llvm::any_of(op->getResults(), isSum) ||
           llvm::all_of(op->getOperands(), [](Value operand) {
             return operand.getDefiningOp<nn::FillOp>();
           });
  case Row::Source:
  case Row::View:
    return false;
  }
  return true;
}

Value precision::viewed(OpResult result) {
  return result.getOwner()->getOperand(result.getResultNumber());
}

/// The second result of attention, which is float32 whatever attends.
static bool isLse(Value value) {
  auto result = cast<OpResult>(value);
  return result.getResultNumber() == 1 &&
         isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(result.getOwner());
}

bool precision::isBias(OpOperand &operand) {
  auto is = [&](auto op) {
    return nn::MaskOperands::biasOf(op) == operand.getOperandNumber();
  };
  Operation *op = operand.getOwner();
  auto gradient = dyn_cast<nn::AttentionGradOp>(op);
  auto attention = dyn_cast<nn::AttentionOp>(op);
  return attention ? is(attention) : gradient && is(gradient);
}

bool precision::isBiasGradient(Value value) {
  auto gradient = value.getDefiningOp<nn::AttentionGradOp>();
  return gradient && value == gradient.getDbias();
}

void Demands::classify(Operation *op) {
  Row row = rowOf(op);
  for (OpResult result : op->getResults()) {
    bool viewsUntracked = row == Row::View && !isTracked(viewed(result));
    if (!isFloat32(result) || isLse(result) || viewsUntracked)
      continue;
    bool isNarrowed = !types.reduce.isF32() && isPartialSum(result);
    Kind kind = Kind::Firm;
    switch (row) {
    case Row::Source:
      kind = kindOfSource(op);
      break;
    case Row::View:
      kind = kindOfView(result);
      break;
    case Row::Product:
      kind = isNarrowed ? Kind::Firm : Kind::Soft;
      break;
    case Row::Wide:
      kind = Kind::Hard;
      break;
    default:
      break;
    }
    kinds[result] = isBiasGradient(result) ? Kind::Hard : kind;
    // Rows of a table are on one rank each, a mask leaves one rank its value.
    auto move = dyn_cast<nn::RedistributeOp>(op);
    if (isa<nn::EmbeddingOp>(op) ||
        (move && move.getKind() == nn::RedistributeKind::Mask) ||
        (row == Row::View && !move && exact.contains(viewed(result))))
      exact.insert(result);
  }
  if (!computesWide(op))
    return;
  wideOps.insert(op);
  if (row == Row::Like || row == Row::Narrow)
    for (Value result : op->getResults())
      if (isFloat32(result)) {
        bool isHard = llvm::any_of(op->getOperands(), [&](Value operand) {
          return isTracked(operand) && kindOf(operand) == Kind::Hard;
        });
        kinds[result] =
            isHard || !isWidePartial(result) ? Kind::Hard : Kind::Soft;
      }
}

//===-- Up: in which types they are needed --------------------------------===//

bool Demands::isViewNarrow(OpResult result) const {
  Operation *op = result.getOwner();
  Value x = viewed(result);
  if (isWidePartial(x))
    return false;
  if (auto move = dyn_cast<nn::RedistributeOp>(op)) {
    if (isMovedNarrow(move))
      return true;
    // What is cut or left out on the way need not be cast.
    if (move.getKind() == nn::RedistributeKind::Slice ||
        move.getKind() == nn::RedistributeKind::Mask)
      return kindOf(x) == Kind::Firm;
  }
  if (auto exchange = dyn_cast<nn::ExchangeOp>(op)) // terms are not rounded
    return !exchange.getBack() && kindOf(x) != Kind::Hard;
  switch (kindOf(x)) {
  case Kind::Firm:
    return true;
  case Kind::Soft:
    return isNeededNarrow(result) || isa<nn::RedistributeOp>(op);
  case Kind::Free:
  case Kind::Hard:
    return isNeededNarrow(result) && !isNeededWide(result);
  }
  return false;
}

void Demands::ask(Operation *op) {
  if (isa<nn::IotaOp>(op)) // is placed as its operand is, and reads nothing
    return;
  bool isNarrow;
  switch (rowOf(op)) {
  case Row::View:
    for (OpResult result : op->getResults())
      if (isTracked(viewed(result)))
        (isViewNarrow(result) ? narrow : wide).insert(viewed(result));
    return;
  case Row::Source:
    // A cast written in the model takes what there is.
    isNarrow = op->getNumOperands() == 1 && isTracked(op->getOperand(0)) &&
               kindOf(op->getOperand(0)) == Kind::Firm;
    break;
  default:
    isNarrow = !isWide(op) && !isa<nn::ReturnOp>(op);
    break;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (isTracked(operand.get()))
      (isNarrow && !isBias(operand) ? narrow : wide).insert(operand.get());
}
