//===- Elementwise.cpp - unary, binary, where and cast --------------------===//
//
// A function for each kind: of reals, and what differs of integers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Elementwise.h"
#include "Integers.h"
#include "Operations.h"
#include "Strided.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;

namespace hocket::reference {

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// 0.5 x (1 + erf(x / sqrt 2)); 1 + erf(z) = erfc(-z) keeps its digits where it
/// is small.
static double gelu(double x) { return 0.5 * x * std::erfc(-x * M_SQRT1_2); }

static double geluTanh(double x) {
  double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

static double silu(double x) { return x / (1 + std::exp(-x)); }

static double maximum(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

static double minimum(double a, double b) {
  return std::isnan(a) || a < b ? a : b;
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using IntegerBinary = int64_t (*)(Integers, int64_t, int64_t);

static Unary functionOf(nn::UnaryKind kind) {
  switch (kind) {
  case nn::UnaryKind::Gelu:
    return gelu;
  case nn::UnaryKind::GeluTanh:
    return geluTanh;
  case nn::UnaryKind::Silu:
    return silu;
    // NaN stays NaN.
  case nn::UnaryKind::Relu:
    return [](double x) { return x < 0 ? 0.0 : x; };
  case nn::UnaryKind::Sigmoid:
    return [](double x) { return 1 / (1 + std::exp(-x)); };
  case nn::UnaryKind::Tanh:
    return [](double x) { return std::tanh(x); };
  case nn::UnaryKind::Exp:
    return [](double x) { return std::exp(x); };
  case nn::UnaryKind::Log:
    return [](double x) { return std::log(x); };
  case nn::UnaryKind::Sqrt:
    return [](double x) { return std::sqrt(x); };
  case nn::UnaryKind::Rsqrt:
    return [](double x) { return 1 / std::sqrt(x); };
  case nn::UnaryKind::Erf:
    return [](double x) { return std::erf(x); };
  case nn::UnaryKind::Abs:
    return [](double x) { return std::fabs(x); };
  case nn::UnaryKind::Neg:
    return [](double x) { return -x; };
  case nn::UnaryKind::Not:
    return [](double x) { return x == 0 ? 1.0 : 0.0; };
  case nn::UnaryKind::Sin:
    return [](double x) { return std::sin(x); };
  case nn::UnaryKind::Cos:
    return [](double x) { return std::cos(x); };
  }
  llvm_unreachable("an enumerator");
}

/// Reals; comparisons, `and` and `or` of any elements.
static Binary functionOf(nn::BinaryKind kind) {
  switch (kind) {
  case nn::BinaryKind::Add:
    return [](double a, double b) { return a + b; };
  case nn::BinaryKind::Sub:
    return [](double a, double b) { return a - b; };
  case nn::BinaryKind::Mul:
    return [](double a, double b) { return a * b; };
  case nn::BinaryKind::Div:
    return [](double a, double b) { return a / b; };
  case nn::BinaryKind::Pow:
    return [](double a, double b) { return std::pow(a, b); };
  case nn::BinaryKind::Maximum:
    return maximum;
  case nn::BinaryKind::Minimum:
    return minimum;
  case nn::BinaryKind::And:
    return [](double a, double b) { return double(a != 0 && b != 0); };
  case nn::BinaryKind::Or:
    return [](double a, double b) { return double(a != 0 || b != 0); };
  case nn::BinaryKind::Eq:
    return [](double a, double b) { return double(a == b); };
  case nn::BinaryKind::Ne:
    return [](double a, double b) { return double(a != b); };
  case nn::BinaryKind::Lt:
    return [](double a, double b) { return double(a < b); };
  case nn::BinaryKind::Le:
    return [](double a, double b) { return double(a <= b); };
  case nn::BinaryKind::Gt:
    return [](double a, double b) { return double(a > b); };
  case nn::BinaryKind::Ge:
    return [](double a, double b) { return double(a >= b); };
  }
  llvm_unreachable("an enumerator");
}

/// What integers compute in another way than reals; null where they do not.
static IntegerBinary integerFunctionOf(nn::BinaryKind kind) {
  using I = Integers;
  switch (kind) {
  case nn::BinaryKind::Add:
    return [](I i, int64_t a, int64_t b) { return i.add(a, b); };
  case nn::BinaryKind::Sub:
    return [](I i, int64_t a, int64_t b) { return i.subtract(a, b); };
  case nn::BinaryKind::Mul:
    return [](I i, int64_t a, int64_t b) { return i.multiply(a, b); };
  case nn::BinaryKind::Div:
    return [](I i, int64_t a, int64_t b) { return i.divide(a, b); };
  case nn::BinaryKind::Pow:
    return [](I i, int64_t a, int64_t b) { return i.power(a, b); };
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
    return nullptr;
  }
  llvm_unreachable("an enumerator");
}

/// abs and neg wrap around at the smallest integer.
static void wrapIntegers(Type element, Call &call) {
  Integers integers(element.getIntOrFloatBitWidth());
  for (double &value : call.result.values)
    if (value == -double(integers.smallest()))
      value = double(integers.smallest());
}

void evaluateUnary(nn::UnaryOp op, Call &call) {
  Unary function = functionOf(op.getKind());
  const std::vector<double> &x = call.operand(0).values;
  for (size_t at = 0; at < x.size(); ++at)
    call.result.values[at] = function(x[at]);
  Type element = elementOf(op.getX());
  if (isa<IntegerType>(element) && !element.isInteger(1))
    wrapIntegers(element, call);
}

void evaluateBinary(nn::BinaryOp op, Call &call) {
  std::vector<double> storage[2];
  const double *a = broadcastTo(call.operand(0), call.result.shape, storage[0]);
  const double *b = broadcastTo(call.operand(1), call.result.shape, storage[1]);
  double *y = call.result.values.data();
  Type element = elementOf(op.getA());
  IntegerBinary ofIntegers = integerFunctionOf(op.getKind());
  if (isa<IntegerType>(element) && ofIntegers) {
    Integers integers(element.getIntOrFloatBitWidth());
    for (int64_t at = 0; at < call.size(); ++at)
      y[at] = integers.write(
          ofIntegers(integers, integers.read(a[at]), integers.read(b[at])),
          call.error);
    return;
  }
  Binary function = functionOf(op.getKind());
  for (int64_t at = 0; at < call.size(); ++at)
    y[at] = function(a[at], b[at]);
}

void evaluateWhere(nn::WhereOp op, Call &call) {
  ArrayRef<int64_t> shape = call.result.shape;
  std::vector<double> storage[3];
  const double *condition = broadcastTo(call.operand(0), shape, storage[0]);
  const double *a = broadcastTo(call.operand(1), shape, storage[1]);
  const double *b = broadcastTo(call.operand(2), shape, storage[2]);
  for (int64_t at = 0; at < call.size(); ++at)
    call.result.values[at] = condition[at] != 0 ? a[at] : b[at];
}

/// Numbers of any type to an integer type; `from` is that of x.
static void castToInteger(Type from, Type to, Call &call) {
  Integers integers(to.getIntOrFloatBitWidth());
  const std::vector<double> &x = call.operand(0).values;
  for (size_t at = 0; at < x.size(); ++at) {
    if (isa<IntegerType>(from)) {
      call.result.values[at] = integers.wrap(int64_t(x[at]));
      continue;
    }
    std::optional<double> whole = integers.truncate(x[at]);
    if (!whole) {
      call.error =
          llvm::formatv("cast of {0} to i{1}, which has no such number", x[at],
                        to.getIntOrFloatBitWidth());
      return;
    }
    call.result.values[at] = *whole;
  }
}

void evaluateCast(nn::CastOp op, Call &call) {
  Type from = elementOf(op.getX()), to = op.getType().getElementType();
  const std::vector<double> &x = call.operand(0).values;
  if (to.isInteger(1))
    llvm::transform(x, call.result.values.begin(),
                    [](double value) { return double(value != 0); });
  else if (isa<IntegerType>(to))
    castToInteger(from, to, call);
  else
    call.result.values = x;
}

} // namespace hocket::reference
