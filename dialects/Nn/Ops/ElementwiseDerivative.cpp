//===- ElementwiseDerivative.cpp - derivatives of element-wise operations -===//
//
// No two arguments of a call make operations: in which order, the compiler that
// builds Hocket would choose, and with it the order of the program.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"
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
  Value of(UnaryKind kind);

private:
  Value x() { return d.read(op.getX()); }
  Value y() { return d.read(op.getResult()); }
  Value number(double value) { return d.scalar(value, op.getX()); }
  Value mul(Value a, Value b) { return d.binary(BinaryKind::Mul, a, b); }
  Value add(Value a, Value b) { return d.binary(BinaryKind::Add, a, b); }
  Value over(double numerator, Value a) {
    return d.binary(BinaryKind::Div, number(numerator), a);
  }
  Value onePlus(Value a) { return add(number(1), a); }
  Value oneMinus(Value a) { return d.binary(BinaryKind::Sub, number(1), a); }

  Value gelu();
  Value geluTanh();
  Value silu();

  Derivative &d;
  UnaryOp op;
};
} // namespace

/// Phi(x) + x phi(x), with the normal distribution's Phi and density phi.
Value Slope::gelu() {
  Value erf = d.unary(UnaryKind::Erf, d.scaled(x(), 1 / std::sqrt(2.0)));
  Value cumulative = d.scaled(onePlus(erf), 0.5);
  Value density =
      d.scaled(d.unary(UnaryKind::Exp, d.scaled(mul(x(), x()), -0.5)),
               1 / std::sqrt(2 * M_PI));
  return add(cumulative, mul(x(), density));
}

/// y = x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3).
Value Slope::geluTanh() {
  constexpr double cubic = 0.044715;
  const double scale = std::sqrt(2 / M_PI);
  Value square = mul(x(), x());
  Value inner = onePlus(d.scaled(square, cubic));
  Value t = d.unary(UnaryKind::Tanh, d.scaled(mul(x(), inner), scale));
  Value slope = d.scaled(onePlus(d.scaled(square, 3 * cubic)), scale);
  Value bend = mul(mul(x(), oneMinus(mul(t, t))), slope);
  return d.scaled(add(onePlus(t), bend), 0.5);
}

Value Slope::silu() {
  Value s = d.unary(UnaryKind::Sigmoid, x());
  return mul(s, onePlus(mul(x(), oneMinus(s))));
}

Value Slope::of(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Gelu:
    return gelu();
  case UnaryKind::GeluTanh:
    return geluTanh();
  case UnaryKind::Silu:
    return silu();
  case UnaryKind::Sigmoid:
    return mul(y(), oneMinus(y()));
  case UnaryKind::Tanh:
    return oneMinus(mul(y(), y()));
  case UnaryKind::Exp:
    return y();
  case UnaryKind::Log:
    return over(1, x());
  case UnaryKind::Sqrt:
    return over(0.5, y());
  case UnaryKind::Rsqrt:
    return d.scaled(mul(mul(y(), y()), y()), -0.5);
  case UnaryKind::Erf:
    return d.scaled(
        d.unary(UnaryKind::Exp, d.unary(UnaryKind::Neg, mul(x(), x()))),
        2 / std::sqrt(M_PI));
  case UnaryKind::Sin:
    return d.unary(UnaryKind::Cos, x());
  case UnaryKind::Cos:
    return d.unary(UnaryKind::Neg, d.unary(UnaryKind::Sin, x()));
  case UnaryKind::Neg:
  case UnaryKind::Relu:
  case UnaryKind::Abs:
  case UnaryKind::Not:
    break;
  }
  llvm_unreachable("no product with a slope, or of bools");
}

void UnaryOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  UnaryKind kind = getKind();
  if (kind == UnaryKind::Neg)
    return d.give(0, d.unary(UnaryKind::Neg, dy));
  if (kind == UnaryKind::Relu ||
      kind == UnaryKind::Abs) { // at 0: 0, as PyTorch
    Value x = d.read(getX()), zero = d.scalar(0, dy);
    Value below = zero;
    if (kind == UnaryKind::Abs) {
      Value isBelow = d.binary(BinaryKind::Lt, x, zero);
      below = d.where(isBelow, d.unary(UnaryKind::Neg, dy), zero);
    }
    return d.give(0, d.where(d.binary(BinaryKind::Gt, x, zero), dy, below));
  }
  d.give(0, d.binary(BinaryKind::Mul, dy, Slope(d, *this).of(kind)));
}

/// a^b: to a, b a^(b-1), and 0 where b is; to b, y log a, and 0 where a is 0
/// and b is not negative.
static void differentiatePow(BinaryOp op, Derivative &d) {
  Value dy = d.cotangent(), a = d.read(op.getA()), b = d.read(op.getB());
  Value zero = d.scalar(0, dy), one = d.scalar(1, dy);
  if (d.isWanted(0)) {
    Value power =
        d.binary(BinaryKind::Pow, a, d.binary(BinaryKind::Sub, b, one));
    Value isFlat = d.binary(BinaryKind::Eq, b, zero);
    Value slope = d.where(isFlat, zero, d.binary(BinaryKind::Mul, b, power));
    d.give(0, d.sumTo(d.binary(BinaryKind::Mul, dy, slope), op.getA()));
  }
  if (d.isWanted(1)) {
    Value isZero = d.binary(BinaryKind::Eq, a, zero);
    Value flat =
        d.binary(BinaryKind::And, isZero, d.binary(BinaryKind::Ge, b, zero));
    Value y = d.read(op.getResult());
    Value slope = d.binary(BinaryKind::Mul, y, d.unary(UnaryKind::Log, a));
    d.give(1, d.sumTo(d.binary(BinaryKind::Mul, dy, d.where(flat, zero, slope)),
                      op.getB()));
  }
}

/// The larger (smaller) one has it all, equal ones half each, as PyTorch.
static void differentiateExtremum(BinaryOp op, Derivative &d) {
  Value dy = d.cotangent(), a = d.read(op.getA()), b = d.read(op.getB());
  Value zero = d.scalar(0, dy);
  Value isTie = d.binary(BinaryKind::Eq, a, b);
  Value tie = d.where(isTie, d.scaled(dy, 0.5), zero);
  BinaryKind wins =
      op.getKind() == BinaryKind::Maximum ? BinaryKind::Gt : BinaryKind::Lt;
  if (d.isWanted(0))
    d.give(0, d.sumTo(d.where(d.binary(wins, a, b), dy, tie), op.getA()));
  if (d.isWanted(1))
    d.give(1, d.sumTo(d.where(d.binary(wins, b, a), dy, tie), op.getB()));
}

void BinaryOp::differentiate(Derivative &d) {
  Value dy = d.cotangent();
  auto give = [&](unsigned operand, auto &&gradient) {
    if (d.isWanted(operand))
      d.give(operand, d.sumTo(gradient(), (*this)->getOperand(operand)));
  };
  switch (getKind()) {
  case BinaryKind::Add:
    give(0, [&] { return dy; });
    return give(1, [&] { return dy; });
  case BinaryKind::Sub:
    give(0, [&] { return dy; });
    // Summed before it is negated: fewer elements.
    if (d.isWanted(1))
      d.give(1, d.unary(UnaryKind::Neg, d.sumTo(dy, getB())));
    return;
  case BinaryKind::Mul:
    give(0, [&] { return d.binary(BinaryKind::Mul, dy, d.read(getB())); });
    return give(1,
                [&] { return d.binary(BinaryKind::Mul, dy, d.read(getA())); });
  case BinaryKind::Div: {
    Value part = d.binary(BinaryKind::Div, dy, d.read(getB()));
    give(0, [&] { return part; });
    return give(1, [&] {
      return d.unary(UnaryKind::Neg,
                     d.binary(BinaryKind::Mul, part, d.read(getResult())));
    });
  }
  case BinaryKind::Pow:
    return differentiatePow(*this, d);
  case BinaryKind::Maximum:
  case BinaryKind::Minimum:
    return differentiateExtremum(*this, d);
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Eq:
  case BinaryKind::Ne:
  case BinaryKind::Lt:
  case BinaryKind::Le:
  case BinaryKind::Gt:
  case BinaryKind::Ge:
    return; // bools
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
