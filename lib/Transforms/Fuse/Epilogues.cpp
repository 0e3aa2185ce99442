//===- Epilogues.cpp - finds what products compute on the way -------------===//

#include "hocket/Transforms/Epilogues.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Products.h"
#include "dialects/Spmd/Spmd.h"

using namespace mlir;
using namespace hocket;

static constexpr size_t kMaxEpilogue = 3;

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

static bool addsUp(Operation *product) {
  if (!isa<nn::LinearOp, nn::MatMulOp>(product))
    return false;
  Type element =
      cast<RankedTensorType>(product->getResult(0).getType()).getElementType();
  return element.isF32() || element.isBF16();
}

Epilogues::Epilogues(Block &body, const DenseSet<Value> &loadTime) {
  for (Operation &op : body)
    if (addsUp(&op) && !loadTime.contains(op.getResult(0)))
      follow(&op);
}

void Epilogues::follow(Operation *product) {
  SmallVector<Operation *, 3> chain;
  Value value = product->getResult(0);
  while (chain.size() < kMaxEpilogue && value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    auto unary = dyn_cast<nn::UnaryOp>(user);
    auto binary = dyn_cast<nn::BinaryOp>(user);
    if (contains(user) || (!(unary && isActivation(unary)) &&
                           !(binary && isJoin(binary, value, product))))
      break;
    products[user] = product;
    chain.push_back(user);
    value = user->getResult(0);
  }
  if (!chain.empty())
    chains[product] = std::move(chain);
}

ArrayRef<Operation *> Epilogues::of(Operation *product) const {
  auto found = chains.find(product);
  return found == chains.end() ? ArrayRef<Operation *>() : found->second;
}
