//===- BuildScalars.cpp - element-wise operations as scalar functions -----===//

#include "GraphBuilder.h"
#include <cmath>

using namespace mlir;

namespace hocket::codegen {

/// Equal nodes are one: what was built before is found by its text.
int GraphBuilder::add(Node node) {
  Graph one;
  one.nodes.push_back(node);
  auto [at, isNew] = known.try_emplace(one.serialize(), graph.nodes.size());
  if (isNew)
    graph.nodes.push_back(node);
  return at->second;
}

int GraphBuilder::constant(double value, DType type) {
  Node node;
  node.type = type;
  node.value = value;
  return add(node);
}

int GraphBuilder::typed(ScalarOp function, DType type, ArrayRef<int> operands) {
  Node node;
  node.kind = NodeKind::Compute;
  node.function = function;
  node.type = type;
  node.operands.assign(operands.begin(), operands.end());
  return add(node);
}

int GraphBuilder::compute(ScalarOp function, ArrayRef<int> operands) {
  bool compares = function >= ScalarOp::Eq && function <= ScalarOp::Ge;
  int typedBy = operands[function == ScalarOp::Select ? 1 : 0];
  return typed(function, compares ? DType::Bool : graph.nodes[typedBy].type,
               operands);
}

int GraphBuilder::reduce(ScalarOp function, int operand, ArrayRef<int> axes) {
  if (axes.empty())
    return operand;
  Node node;
  node.kind = NodeKind::Reduce;
  node.function = function;
  node.type = graph.nodes[operand].type;
  node.operands = {operand};
  node.reduced.assign(axes.begin(), axes.end());
  return add(node);
}

/// Formulas that keep their relative accuracy where 1 + tanh or 1 + erf would
/// cancel: gelu is x/2 erfc(-x/sqrt(2)), and with tanh x sigmoid(2u).
int GraphBuilder::buildUnary(nn::UnaryKind kind, int x) {
  using Kind = nn::UnaryKind;
  DType type = graph.nodes[x].type;
  auto number = [&](double value) { return constant(value, type); };
  auto mul = [&](int a, int b) { return compute(ScalarOp::Mul, {a, b}); };
  auto plus = [&](int a, int b) { return compute(ScalarOp::Add, {a, b}); };
  auto logistic = [&](int numerator, int of) { // numerator / (1 + exp(-of))
    int power = compute(ScalarOp::Exp, {compute(ScalarOp::Neg, {of})});
    return compute(ScalarOp::Div, {numerator, plus(number(1), power)});
  };
  switch (kind) {
  case Kind::Gelu: {
    int tail = compute(ScalarOp::Erfc, {mul(x, number(-std::sqrt(0.5)))});
    return mul(mul(number(0.5), x), tail);
  }
  case Kind::GeluTanh: {
    int cube = mul(mul(x, x), x);
    int inner = plus(x, mul(number(0.044715), cube));
    return logistic(x, mul(number(2 * std::sqrt(2 / M_PI)), inner));
  }
  case Kind::Silu:
    return logistic(x, x);
  case Kind::Sigmoid:
    return logistic(number(1), x);
  case Kind::Relu:
    return compute(ScalarOp::Max, {x, number(0)});
  case Kind::Tanh:
    return compute(ScalarOp::Tanh, {x});
  case Kind::Exp:
    return compute(ScalarOp::Exp, {x});
  case Kind::Log:
    return compute(ScalarOp::Log, {x});
  case Kind::Sqrt:
    return compute(ScalarOp::Sqrt, {x});
  case Kind::Rsqrt:
    return compute(ScalarOp::Rsqrt, {x});
  case Kind::Erf:
    return compute(ScalarOp::Erf, {x});
  case Kind::Abs:
    return compute(ScalarOp::Abs, {x});
  case Kind::Neg:
    return compute(ScalarOp::Neg, {x});
  case Kind::Not:
    return compute(ScalarOp::Not, {x});
  case Kind::Sin:
    return compute(ScalarOp::Sin, {x});
  case Kind::Cos:
    return compute(ScalarOp::Cos, {x});
  }
  llvm_unreachable("an enumerator");
}

/// Small constant exponents are products.
int GraphBuilder::buildPower(int a, int b) {
  const Node exponent = graph.nodes[b];
  if (exponent.kind != NodeKind::Constant)
    return compute(ScalarOp::Pow, {a, b});
  double value = exponent.value;
  auto square = [&](int x) { return compute(ScalarOp::Mul, {x, x}); };
  if (value == 1)
    return a;
  if (value == 2)
    return square(a);
  if (value == 3)
    return compute(ScalarOp::Mul, {square(a), a});
  if (value == 4)
    return square(square(a));
  return compute(ScalarOp::Pow, {a, b});
}

static ScalarOp functionOf(nn::BinaryKind kind) {
  switch (kind) {
  case nn::BinaryKind::Add:
    return ScalarOp::Add;
  case nn::BinaryKind::Sub:
    return ScalarOp::Sub;
  case nn::BinaryKind::Mul:
    return ScalarOp::Mul;
  case nn::BinaryKind::Div:
    return ScalarOp::Div;
  case nn::BinaryKind::Pow:
    return ScalarOp::Pow;
  case nn::BinaryKind::Maximum:
    return ScalarOp::Max;
  case nn::BinaryKind::Minimum:
    return ScalarOp::Min;
  case nn::BinaryKind::And:
    return ScalarOp::And;
  case nn::BinaryKind::Or:
    return ScalarOp::Or;
  case nn::BinaryKind::Eq:
    return ScalarOp::Eq;
  case nn::BinaryKind::Ne:
    return ScalarOp::Ne;
  case nn::BinaryKind::Lt:
    return ScalarOp::Lt;
  case nn::BinaryKind::Le:
    return ScalarOp::Le;
  case nn::BinaryKind::Gt:
    return ScalarOp::Gt;
  case nn::BinaryKind::Ge:
    return ScalarOp::Ge;
  }
  llvm_unreachable("an enumerator");
}

int GraphBuilder::buildBinary(nn::BinaryKind kind, int a, int b) {
  return kind == nn::BinaryKind::Pow ? buildPower(a, b)
                                     : compute(functionOf(kind), {a, b});
}

int GraphBuilder::buildCast(int x, Type to) {
  DType stored = *dtypeOf(to);
  DType type = computeType(stored);
  if (graph.nodes[x].type != type)
    x = typed(ScalarOp::Cast, type, {x});
  if (stored == DType::F16)
    return compute(ScalarOp::RoundF16, {x});
  if (stored == DType::BF16)
    return compute(ScalarOp::RoundBF16, {x});
  return x;
}

} // namespace hocket::codegen
