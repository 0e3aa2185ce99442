//===- BuildScalars.cpp - element-wise operations as scalar functions -----===//

#include "GraphBuilder.h"
#include "llvm/ADT/StringSwitch.h"
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
int GraphBuilder::buildUnary(StringRef kind, int x) {
  DType type = graph.nodes[x].type;
  auto number = [&](double value) { return constant(value, type); };
  auto mul = [&](int a, int b) { return compute(ScalarOp::Mul, {a, b}); };
  auto plus = [&](int a, int b) { return compute(ScalarOp::Add, {a, b}); };
  auto logistic = [&](int numerator, int of) { // numerator / (1 + exp(-of))
    int power = compute(ScalarOp::Exp, {compute(ScalarOp::Neg, {of})});
    return compute(ScalarOp::Div, {numerator, plus(number(1), power)});
  };
  if (kind == "gelu") {
    int tail = compute(ScalarOp::Erfc, {mul(x, number(-std::sqrt(0.5)))});
    return mul(mul(number(0.5), x), tail);
  }
  if (kind == "gelu_tanh") {
    int cube = mul(mul(x, x), x);
    int inner = plus(x, mul(number(0.044715), cube));
    return logistic(x, mul(number(2 * std::sqrt(2 / M_PI)), inner));
  }
  if (kind == "silu")
    return logistic(x, x);
  if (kind == "sigmoid")
    return logistic(number(1), x);
  if (kind == "relu")
    return compute(ScalarOp::Max, {x, number(0)});
  auto function = llvm::StringSwitch<ScalarOp>(kind)
                      .Case("tanh", ScalarOp::Tanh)
                      .Case("exp", ScalarOp::Exp)
                      .Case("log", ScalarOp::Log)
                      .Case("sqrt", ScalarOp::Sqrt)
                      .Case("rsqrt", ScalarOp::Rsqrt)
                      .Case("erf", ScalarOp::Erf)
                      .Case("abs", ScalarOp::Abs)
                      .Case("neg", ScalarOp::Neg)
                      .Case("not", ScalarOp::Not)
                      .Case("sin", ScalarOp::Sin)
                      .Case("cos", ScalarOp::Cos)
                      .Default(ScalarOp::Select);
  if (function == ScalarOp::Select)
    llvm_unreachable("a kind that the verifier does not know");
  return compute(function, {x});
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

int GraphBuilder::buildBinary(StringRef kind, int a, int b) {
  if (kind == "pow")
    return buildPower(a, b);
  auto function = llvm::StringSwitch<ScalarOp>(kind)
                      .Case("add", ScalarOp::Add)
                      .Case("sub", ScalarOp::Sub)
                      .Case("mul", ScalarOp::Mul)
                      .Case("div", ScalarOp::Div)
                      .Case("maximum", ScalarOp::Max)
                      .Case("minimum", ScalarOp::Min)
                      .Case("and", ScalarOp::And)
                      .Case("or", ScalarOp::Or)
                      .Case("eq", ScalarOp::Eq)
                      .Case("ne", ScalarOp::Ne)
                      .Case("lt", ScalarOp::Lt)
                      .Case("le", ScalarOp::Le)
                      .Case("gt", ScalarOp::Gt)
                      .Case("ge", ScalarOp::Ge)
                      .Default(ScalarOp::Select);
  if (function == ScalarOp::Select)
    llvm_unreachable("a kind that the verifier does not know");
  return compute(function, {a, b});
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
