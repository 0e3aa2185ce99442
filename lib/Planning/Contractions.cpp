//===- Contractions.cpp - linear and matmul as library calls --------------===//

#include "Instructions.h"
#include "dialects/Nn/Elementwise.h"
#include "hocket/Views/Product.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

/// A view of `base` with the given runs for dims.
static Strided byRuns(Strided base, ArrayRef<Run> runs) {
  base.sizes.clear();
  base.strides.clear();
  for (auto [size, stride] : runs) {
    base.sizes.push_back(size);
    base.strides.push_back(stride);
  }
  return base;
}

static std::optional<plan::PostOp> postOpOf(nn::UnaryKind kind) {
  switch (kind) {
  case nn::UnaryKind::Gelu:
    return plan::PostOp::GeluErf;
  case nn::UnaryKind::GeluTanh:
    return plan::PostOp::GeluTanh;
  case nn::UnaryKind::Relu:
    return plan::PostOp::Relu;
  case nn::UnaryKind::Silu:
    return plan::PostOp::Silu;
  case nn::UnaryKind::Tanh:
    return plan::PostOp::Tanh;
  case nn::UnaryKind::Sigmoid:
  case nn::UnaryKind::Exp:
  case nn::UnaryKind::Log:
  case nn::UnaryKind::Sqrt:
  case nn::UnaryKind::Rsqrt:
  case nn::UnaryKind::Erf:
  case nn::UnaryKind::Abs:
  case nn::UnaryKind::Neg:
  case nn::UnaryKind::Not:
  case nn::UnaryKind::Sin:
  case nn::UnaryKind::Cos:
    return std::nullopt;
  }
  llvm_unreachable("an enumerator");
}

static std::optional<plan::PostOp> postOpOf(nn::BinaryKind kind) {
  switch (kind) {
  case nn::BinaryKind::Add:
    return plan::PostOp::Add;
  case nn::BinaryKind::Mul:
    return plan::PostOp::Mul;
  case nn::BinaryKind::Sub:
  case nn::BinaryKind::Div:
  case nn::BinaryKind::Pow:
  case nn::BinaryKind::Maximum:
  case nn::BinaryKind::Minimum:
  case nn::BinaryKind::And:
  case nn::BinaryKind::Or:
  case nn::BinaryKind::Eq:
  case nn::BinaryKind::Ne:
  case nn::BinaryKind::Lt:
  case nn::BinaryKind::Le:
  case nn::BinaryKind::Gt:
  case nn::BinaryKind::Ge:
    return std::nullopt;
  }
  llvm_unreachable("an enumerator");
}

static std::optional<plan::PostOp> postOpOf(Operation *op) {
  if (auto unary = dyn_cast<nn::UnaryOp>(op))
    return postOpOf(unary.getKind());
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return postOpOf(binary.getKind());
  return std::nullopt;
}

/// What the operations behind the product make of it. The other operand of
/// each lies in the result's order of rows.
static void addEpilogue(plan::Matmul &matmul, Operation &op,
                        const Matrices &matrices, const Strided &c,
                        Call &call) {
  for (Operation *next = op.getNextNode();
       !next->hasTrait<OpTrait::IsTerminator>(); next = next->getNextNode()) {
    std::optional<plan::PostOp> made = postOpOf(next);
    if (!made)
      return call.setProblem(c);
    plan::FusedPostOp post{*made, {}};
    for (Value operand : next->getOperands()) {
      if (operand.getDefiningOp()) // what is there so far
        continue;
      Strided at = call.lies(operand);
      auto fitted = reshaped(at, c.sizes);
      auto runs = fitted ? matrices.runsOf(*fitted) : std::nullopt;
      if (!runs)
        return call.setProblem(at);
      post.operand = call.view(byRuns(*fitted, *runs));
    }
    matmul.post.push_back(post);
  }
}

/// An operand of the product, if it can be read so.
static std::optional<Strided> operandOf(Operation &op, unsigned number,
                                        Call &call) {
  Value operand = op.getOperand(number);
  if (buffers::PackOp pack = number == 1 ? call.packOf(operand) : nullptr)
    return Strided::of(pack.getWeight().getDefiningOp<buffers::ViewOp>());
  Strided at = call.lies(operand);
  auto fitted = productOperand(&op, number, at);
  if (!fitted)
    call.setProblem(at);
  return fitted;
}

Body planning::productOf(Operation &op, Call &call) {
  plan::Matmul matmul;
  auto a = operandOf(op, 0, call), b = operandOf(op, 1, call);
  if (!a || !b)
    return matmul;
  views::Product product = views::productOf(&op, *a, *b);
  auto c = reshaped(call.result(), product.resultSizes());
  if (!c) {
    call.setProblem(call.result());
    return matmul;
  }
  Matrices matrices(product, *c);
  matmul.a = call.view(byRuns(*a, matrices.a));
  buffers::PackOp pack = call.packOf(op.getOperand(1));
  Strided right = byRuns(*b, matrices.b);
  matmul.b = pack ? call.unread(right) : call.view(right);
  if (pack)
    matmul.packedWeight = call.numberOf(pack);
  matmul.c = call.view(byRuns(*c, matrices.c));
  if (op.getNumOperands() == 3) {
    matmul.hasBias = true;
    if (auto bias = operandOf(op, 2, call))
      matmul.bias = call.view(*bias);
  }
  addEpilogue(matmul, op, matrices, *c, call);
  return matmul;
}
