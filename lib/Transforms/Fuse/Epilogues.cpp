//===- Epilogues.cpp - marks what contractions compute on the way ---------===//

#include "Epilogues.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Products.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Transforms/Fuse.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hocket;

static constexpr int kMaxEpilogue = 3;

static bool isActivation(nn::UnaryOp op) {
  using Kind = nn::UnaryKind;
  return llvm::is_contained(
      {Kind::Gelu, Kind::GeluTanh, Kind::Relu, Kind::Silu, Kind::Tanh},
      op.getKind());
}

/// A sum or product of the contraction's value with one of equal shape that
/// is computed before `contraction` in program order.
static bool isJoin(nn::BinaryOp op, Value chained, Operation *contraction) {
  if (op.getKind() != nn::BinaryKind::Add &&
      op.getKind() != nn::BinaryKind::Mul)
    return false;
  Value other = op.getA() == chained ? op.getB() : op.getA();
  auto type = cast<RankedTensorType>(other.getType());
  auto wanted = cast<RankedTensorType>(chained.getType());
  if (other == chained || type.getShape() != wanted.getShape() ||
      nn::layoutOf(type).getDims().size() !=
          nn::layoutOf(wanted).getDims().size())
    return false;
  for (auto [a, b] :
       llvm::zip(nn::layoutOf(type).getDims(), nn::layoutOf(wanted).getDims()))
    if (a.getFactors().size() != b.getFactors().size())
      return false;
  Operation *producer = other.getDefiningOp();
  return !producer || producer->isBeforeInBlock(contraction);
}

Operation *hocket::whereItRuns(Operation *op) {
  while (auto chained = op->getAttrOfType<IntegerAttr>(kInEpilogue))
    op = op->getOperand(chained.getInt()).getDefiningOp();
  return op;
}

void hocket::markEpilogues(Block &body, const DenseSet<Value> &loadTime) {
  for (Operation &op : body) {
    if (!isa<nn::LinearOp, nn::MatMulOp>(op) ||
        loadTime.contains(op.getResult(0)))
      continue;
    Type element =
        cast<RankedTensorType>(op.getResult(0).getType()).getElementType();
    if (!element.isF32() && !element.isBF16())
      continue;
    Value value = op.getResult(0);
    for (int length = 0; length < kMaxEpilogue && value.hasOneUse(); ++length) {
      Operation *user = *value.getUsers().begin();
      auto unary = dyn_cast<nn::UnaryOp>(user);
      auto binary = dyn_cast<nn::BinaryOp>(user);
      if (user->hasAttr(kInEpilogue) ||
          (!(unary && isActivation(unary)) &&
           !(binary && isJoin(binary, value, &op))))
        break;
      unsigned chained = value.use_begin()->getOperandNumber();
      user->setAttr(kInEpilogue,
                    Builder(user->getContext()).getI64IntegerAttr(chained));
      value = user->getResult(0);
    }
  }
}
