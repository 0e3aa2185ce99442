//===- ElementwiseDerivative.cpp - derivatives of element-wise operations -===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

namespace {
/// x and y of y = f(x), and what f'(x) is written with.
class Slope {
public:
  Slope(Derivative &d, UnaryOp op) : d(d), op(op) {}
  /// f'(x).
  Value of(StringRef kind);

private:
  Value x() { return d.read(op.getX()); }
  Value y() { return d.read(op.getResult()); }
  Value number(double value) { return d.scalar(value, op.getX()); }
  Value mul(Value a, Value b) { return d.binary("mul", a, b); }
  Value add(Value a, Value b) { return d.binary("add", a, b); }
  /// 1 - a.
  Value rest(Value a) { return d.binary("sub", number(1), a); }

  Value gelu();
  Value geluTanh();
  Value silu();

  Derivative &d;
  UnaryOp op;
};
} // namespace

/// Phi(x) + x phi(x), with the normal distribution's Phi and density phi.
Value Slope::gelu() {
  Value erf = d.unary("erf", d.scaled(x(), 1 / std::sqrt(2.0)));
  Value cumulative = d.scaled(add(number(1), erf), 0.5);
  Value density = d.scaled(d.unary("exp", d.scaled(mul(x(), x()), -0.5)),
                           1 / std::sqrt(2 * M_PI));
  return add(cumulative, mul(x(), density));
}

/// y = x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3).
Value Slope::geluTanh() {
  constexpr double cubic = 0.044715;
  const double scale = std::sqrt(2 / M_PI);
  Value square = mul(x(), x());
  Value inner = add(number(1), d.scaled(square, cubic));
  Value t = d.unary("tanh", d.scaled(mul(x(), inner), scale));
  Value slope = d.scaled(add(number(1), d.scaled(square, 3 * cubic)), scale);
  Value bend = mul(mul(x(), rest(mul(t, t))), slope);
  return d.scaled(add(add(number(1), t), bend), 0.5);
}

Value Slope::silu() {
  Value s = d.unary("sigmoid", x());
  return mul(s, add(number(1), mul(x(), rest(s))));
}

Value Slope::of(StringRef kind) {
  if (kind == "gelu")
    return gelu();
  if (kind == "gelu_tanh")
    return geluTanh();
  if (kind == "silu")
    return silu();
  if (kind == "sigmoid")
    return mul(y(), rest(y()));
  if (kind == "tanh")
    return rest(mul(y(), y()));
  if (kind == "exp")
    return y();
  if (kind == "log")
    return d.binary("div", number(1), x());
  if (kind == "sqrt")
    return d.binary("div", number(0.5), y());
  if (kind == "rsqrt")
    return d.scaled(mul(mul(y(), y()), y()), -0.5);
  if (kind == "erf")
    return d.scaled(d.unary("exp", d.unary("neg", mul(x(), x()))),
                    2 / std::sqrt(M_PI));
  if (kind == "sin")
    return d.unary("cos", x());
  if (kind == "cos")
    return d.unary("neg", d.unary("sin", x()));
  return {};
}

void UnaryOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  StringRef kind = getKind();
  if (kind == "neg")
    return d.give(0, d.unary("neg", dy));
  if (kind == "relu" || kind == "abs") { // at 0: 0, as PyTorch
    Value x = d.read(getX()), zero = d.scalar(0, dy);
    Value below = kind == "abs" ? d.where(d.binary("lt", x, zero),
                                          d.unary("neg", dy), zero)
                                : zero;
    return d.give(0, d.where(d.binary("gt", x, zero), dy, below));
  }
  d.give(0, d.binary("mul", dy, Slope(d, *this).of(kind)));
}

/// a^b: to a, b a^(b-1), and 0 where b is; to b, y log a, and 0 where a is 0
/// and b is not negative.
static void differentiatePow(BinaryOp op, Derivative &d) {
  Value dy = d.cotangent(), a = d.read(op.getA()), b = d.read(op.getB());
  Value zero = d.scalar(0, dy), one = d.scalar(1, dy);
  if (d.isWanted(0)) {
    Value power = d.binary("pow", a, d.binary("sub", b, one));
    Value slope =
        d.where(d.binary("eq", b, zero), zero, d.binary("mul", b, power));
    d.give(0, d.sumTo(d.binary("mul", dy, slope), op.getA()));
  }
  if (d.isWanted(1)) {
    Value flat =
        d.binary("and", d.binary("eq", a, zero), d.binary("ge", b, zero));
    Value slope = d.binary("mul", d.read(op.getResult()), d.unary("log", a));
    d.give(1,
           d.sumTo(d.binary("mul", dy, d.where(flat, zero, slope)), op.getB()));
  }
}

/// The larger (smaller) one has it all, equal ones half each, as PyTorch.
static void differentiateExtremum(BinaryOp op, Derivative &d) {
  Value dy = d.cotangent(), a = d.read(op.getA()), b = d.read(op.getB());
  Value zero = d.scalar(0, dy);
  Value tie = d.where(d.binary("eq", a, b), d.scaled(dy, 0.5), zero);
  StringRef wins = op.getKind() == "maximum" ? "gt" : "lt";
  if (d.isWanted(0))
    d.give(0, d.sumTo(d.where(d.binary(wins, a, b), dy, tie), op.getA()));
  if (d.isWanted(1))
    d.give(1, d.sumTo(d.where(d.binary(wins, b, a), dy, tie), op.getB()));
}

void BinaryOp::differentiate(Derivative &d) {
  StringRef kind = getKind();
  if (kind == "pow")
    return differentiatePow(*this, d);
  if (kind == "maximum" || kind == "minimum")
    return differentiateExtremum(*this, d);
  Value dy = d.cotangent();
  auto give = [&](unsigned operand, auto &&gradient) {
    if (d.isWanted(operand))
      d.give(operand, d.sumTo(gradient(), (*this)->getOperand(operand)));
  };
  if (kind == "add" || kind == "sub") {
    give(0, [&] { return dy; });
    // Summed before it is negated: fewer elements.
    if (d.isWanted(1)) {
      Value sum = d.sumTo(dy, getB());
      d.give(1, kind == "sub" ? d.unary("neg", sum) : sum);
    }
  } else if (kind == "mul") {
    give(0, [&] { return d.binary("mul", dy, d.read(getB())); });
    give(1, [&] { return d.binary("mul", dy, d.read(getA())); });
  } else if (kind == "div") {
    Value part = d.binary("div", dy, d.read(getB()));
    give(0, [&] { return part; });
    give(1, [&] {
      return d.unary("neg", d.binary("mul", part, d.read(getResult())));
    });
  }
}

void WhereOp::differentiate(Derivative &d) {
  Value dy = d.cotangent(), zero = d.scalar(0, dy);
  Value condition = d.read(getCondition());
  if (d.isWanted(1))
    d.give(1, d.sumTo(d.where(condition, dy, zero), getA()));
  if (d.isWanted(2))
    d.give(2, d.sumTo(d.where(condition, zero, dy), getB()));
}

void CastOp::differentiate(Derivative &d) {
  d.give(0, d.castTo(d.cotangent(), elementTypeOf(getX())));
}
