//===- Rewriter.cpp - inserts the casts of a precision --------------------===//
//
// A parameter or input is rounded once, before its first narrow use, and before
// it is gathered; what an operation computes, where it is computed. A narrow
// value is widened again for each operation that wants float32: what is kept
// for the backward is narrow, and the cast becomes part of that operation's
// kernel.
//
//===----------------------------------------------------------------------===//

#include "Rewriter.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::precision;

Rewriter::Rewriter(nn::FuncOp func, Types types)
    : func(func), types(types), demands(func, types),
      builder(func.getContext()), f32(builder.getF32Type()) {}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

void Rewriter::setElement(Value value, Type element) {
  value.setType(mlir::cast<RankedTensorType>(value.getType()).clone(element));
}

Value Rewriter::cast(Value value, Type element) {
  auto type = mlir::cast<RankedTensorType>(value.getType()).clone(element);
  return nn::CastOp::create(builder, value.getLoc(), type, value);
}

bool Rewriter::isHeldNarrow(Value value) const {
  return roundedAtOnce.contains(value) || elementOf(value) == types.compute;
}

Value Rewriter::narrowed(Value value, Operation *op) {
  if (elementOf(value) == types.compute)
    return value;
  Value &result = rounded[value];
  if (result)
    return result;
  Operation *definition = value.getDefiningOp();
  bool waits = demands.kindOf(value) == Kind::Free || !definition;
  if (waits)
    builder.setInsertionPoint(op);
  else
    builder.setInsertionPointAfter(definition);
  if (auto fill = value.getDefiningOp<nn::FillOp>()) {
    Operation *copy = builder.clone(*fill);
    setElement(copy->getResult(0), types.compute);
    return result = copy->getResult(0);
  }
  return result = cast(value, types.compute);
}

Value Rewriter::widened(Value value, Operation *op) {
  if (!isHeldNarrow(value))
    return value;
  if (Value narrow = rounded.lookup(value))
    value = narrow;
  builder.setInsertionPoint(op);
  return cast(value, f32);
}

void Rewriter::setOperands(Operation *op, bool isNarrow) {
  llvm::SmallDenseMap<Value, Value> narrow, wide;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!demands.isTracked(value))
      continue;
    bool isOne = isNarrow && !isBias(operand);
    Value &now = (isOne ? narrow : wide)[value];
    if (!now)
      now = isOne ? narrowed(value, op) : widened(value, op);
    operand.set(now);
  }
}

void Rewriter::roundAtOnce(Value value) {
  if (demands.kindOf(value) == Kind::Hard || demands.isWidePartial(value) ||
      !demands.isNeededNarrow(value) || elementOf(value) == types.compute)
    return;
  narrowed(value, value.getDefiningOp());
  roundedAtOnce.insert(value);
}

void Rewriter::rewriteView(OpResult result) {
  Operation *op = result.getOwner();
  Value x = viewed(result);
  if (!demands.isTracked(x))
    return;
  auto move = dyn_cast<nn::RedistributeOp>(op);
  auto exchange = dyn_cast<nn::ExchangeOp>(op);
  bool areTerms = exchange && exchange.getBack();
  // Terms of a sum are not rounded, but go as they were made.
  bool isNarrow = areTerms ? elementOf(x) == types.compute
                           : isHeldNarrow(x) || demands.isViewNarrow(result) ||
                                 (move && demands.isMovedNarrow(move));
  if (isNarrow)
    op->setOperand(result.getResultNumber(), narrowed(x, op));
  setElement(result, isNarrow ? types.compute : f32);
  if (demands.kindOf(result) == Kind::Soft ||
      (areTerms && !isNarrow && demands.kindOf(result) == Kind::Firm))
    roundAtOnce(result);
}

/// A cast of the model takes its operand as it is held.
void Rewriter::rewriteSource(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (Value narrow = rounded.lookup(operand.get());
        narrow && roundedAtOnce.contains(operand.get()))
      operand.set(narrow);
  if (!isa<nn::CastOp>(op))
    return;
  Value result = op->getResult(0);
  if (demands.isTracked(result) && demands.kindOf(result) == Kind::Soft &&
      demands.isNeededNarrow(result))
    setElement(result, types.compute);
}

FloatType Rewriter::resultElement(Operation *op, Value result) const {
  if (demands.isWide(op) || demands.isWidePartial(result) ||
      isBiasGradient(result))
    return f32;
  bool isOpen =
      demands.rowOf(op) == Row::Product && demands.kindOf(result) == Kind::Soft;
  return isOpen && !demands.isNeededNarrow(result) ? f32 : types.compute;
}

void Rewriter::rewrite(Operation *op) {
  switch (demands.rowOf(op)) {
  case Row::View:
    for (OpResult result : op->getResults())
      rewriteView(result);
    return;
  case Row::Source:
    return rewriteSource(op);
  default:
    break;
  }
  setOperands(op, !demands.isWide(op) && !isa<nn::ReturnOp>(op));
  for (Value result : op->getResults())
    if (demands.isTracked(result)) {
      setElement(result, resultElement(op, result));
      roundAtOnce(result);
    }
}

void Rewriter::run() {
  SmallVector<Operation *> all;
  for (Operation &op : func.getBody().front())
    all.push_back(&op);
  for (Operation *op : all)
    rewrite(op);
}
