//===- Contractions.cpp - linear and matmul as library calls --------------===//

#include "Instructions.h"
#include "hocket/Views/Product.h"
#include "llvm/ADT/StringSwitch.h"

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

static std::optional<plan::PostOp> activationOf(StringRef kind) {
  return llvm::StringSwitch<std::optional<plan::PostOp>>(kind)
      .Case("gelu", plan::PostOp::GeluErf)
      .Case("gelu_tanh", plan::PostOp::GeluTanh)
      .Case("relu", plan::PostOp::Relu)
      .Case("silu", plan::PostOp::Silu)
      .Case("tanh", plan::PostOp::Tanh)
      .Case("add", plan::PostOp::Add)
      .Case("mul", plan::PostOp::Mul)
      .Default(std::nullopt);
}

/// What the operations behind the product make of it. The other operand of
/// each lies in the result's order of rows.
static void addEpilogue(plan::Matmul &matmul, Operation &op,
                        const Matrices &matrices, const Strided &c,
                        Call &call) {
  for (Operation *next = op.getNextNode();
       !next->hasTrait<OpTrait::IsTerminator>(); next = next->getNextNode()) {
    auto kind = next->getAttrOfType<StringAttr>("kind");
    auto activation = kind ? activationOf(kind.getValue()) : std::nullopt;
    if (!activation)
      return call.setProblem(c);
    plan::FusedPostOp post{*activation, {}};
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
  SmallVector<int64_t> multiplied = {2, product.a.sizes.back()};
  for (Run run : matrices.c)
    multiplied.push_back(run.first);
  call.addFlops(multiplied);
  if (op.getNumOperands() == 3) {
    matmul.hasBias = true;
    if (auto bias = operandOf(op, 2, call))
      matmul.bias = call.view(*bias);
  }
  addEpilogue(matmul, op, matrices, *c, call);
  return matmul;
}
