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

/// Of the types that the target's library has products of with epilogues.
bool Epilogues::addsUp(Operation *product) const {
  if (!isa<nn::LinearOp, nn::MatMulOp>(product))
    return false;
  Type element =
      cast<RankedTensorType>(product->getResult(0).getType()).getElementType();
  if (target == nn::Target::Cuda)
    return isa<FloatType>(element);
  return element.isF32() || element.isBF16();
}

/// cuBLASLt computes activation(a b + c + bias) with two activations. Its gelu
/// of f64 errs by 1e-10 (docs/gpu.md).
static bool isActivationOfCuda(nn::UnaryOp op) {
  Type type = cast<RankedTensorType>(op.getType()).getElementType();
  return op.getKind() == nn::UnaryKind::Relu ||
         (op.getKind() == nn::UnaryKind::GeluTanh && !type.isF64());
}

bool Epilogues::takes(Operation *product, ArrayRef<Operation *> chain,
                      Operation *next) const {
  auto unary = dyn_cast<nn::UnaryOp>(next);
  auto binary = dyn_cast<nn::BinaryOp>(next);
  Operation *last = chain.empty() ? product : chain.back();
  bool isJoined = binary && isJoin(binary, last->getResult(0), product);
  if (target == nn::Target::Cpu)
    return chain.size() < kMaxEpilogue &&
           ((unary && isActivation(unary)) || isJoined);
  if (isJoined)
    return chain.empty() && binary.getKind() == nn::BinaryKind::Add;
  return unary && isActivationOfCuda(unary) &&
         llvm::none_of(chain,
                       [](Operation *op) { return isa<nn::UnaryOp>(op); });
}

Epilogues::Epilogues(Block &body, const DenseSet<Value> &loadTime)
    : target(nn::targetOf(body.getParentOp())) {
  for (Operation &op : body)
    if (addsUp(&op) && !loadTime.contains(op.getResult(0)))
      follow(&op);
}

void Epilogues::follow(Operation *product) {
  SmallVector<Operation *, 3> chain;
  Value value = product->getResult(0);
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (contains(user) || !takes(product, chain, user))
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
