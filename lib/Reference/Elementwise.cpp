//===- Elementwise.cpp - unary, binary, where and cast --------------------===//
//
// Functions are found by the kind in a table, one for reals, one for integers
// and bools.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Elementwise.h"
#include "Integers.h"
#include "Operations.h"
#include "Strided.h"
#include "llvm/ADT/StringMap.h"
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

static const llvm::StringMap<Unary> &unaryFunctions() {
  static const llvm::StringMap<Unary> table = {
      {"gelu", gelu},
      {"gelu_tanh", geluTanh},
      {"silu", silu},
      // NaN stays NaN.
      {"relu", [](double x) { return x < 0 ? 0.0 : x; }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"abs", [](double x) { return std::fabs(x); }},
      {"neg", [](double x) { return -x; }},
      {"not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
  };
  return table;
}

/// Reals; comparisons, `and` and `or` of any elements.
static const llvm::StringMap<Binary> &binaryFunctions() {
  static const llvm::StringMap<Binary> table = {
      {"add", [](double a, double b) { return a + b; }},
      {"sub", [](double a, double b) { return a - b; }},
      {"mul", [](double a, double b) { return a * b; }},
      {"div", [](double a, double b) { return a / b; }},
      {"pow", [](double a, double b) { return std::pow(a, b); }},
      {"maximum", maximum},
      {"minimum", minimum},
      {"and", [](double a, double b) { return double(a != 0 && b != 0); }},
      {"or", [](double a, double b) { return double(a != 0 || b != 0); }},
      {"eq", [](double a, double b) { return double(a == b); }},
      {"ne", [](double a, double b) { return double(a != b); }},
      {"lt", [](double a, double b) { return double(a < b); }},
      {"le", [](double a, double b) { return double(a <= b); }},
      {"gt", [](double a, double b) { return double(a > b); }},
      {"ge", [](double a, double b) { return double(a >= b); }},
  };
  return table;
}

/// What integers compute in another way than reals.
static const llvm::StringMap<IntegerBinary> &integerFunctions() {
  using I = Integers;
  static const llvm::StringMap<IntegerBinary> table = {
      {"add", [](I i, int64_t a, int64_t b) { return i.add(a, b); }},
      {"sub", [](I i, int64_t a, int64_t b) { return i.subtract(a, b); }},
      {"mul", [](I i, int64_t a, int64_t b) { return i.multiply(a, b); }},
      {"div", [](I i, int64_t a, int64_t b) { return i.divide(a, b); }},
      {"pow", [](I i, int64_t a, int64_t b) { return i.power(a, b); }},
  };
  return table;
}

/// abs and neg wrap around at the smallest integer.
static void wrapIntegers(Type element, Call &call) {
  Integers integers(element.getIntOrFloatBitWidth());
  for (double &value : call.result.values)
    if (value == -double(integers.smallest()))
      value = double(integers.smallest());
}

void evaluateUnary(nn::UnaryOp op, Call &call) {
  Unary function = unaryFunctions().lookup(op.getKind());
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
  auto integerFunction = integerFunctions().find(op.getKind());
  if (isa<IntegerType>(element) &&
      integerFunction != integerFunctions().end()) {
    Integers integers(element.getIntOrFloatBitWidth());
    for (int64_t at = 0; at < call.size(); ++at)
      y[at] =
          integers.write(integerFunction->second(integers, integers.read(a[at]),
                                                 integers.read(b[at])),
                         call.error);
    return;
  }
  Binary function = binaryFunctions().lookup(op.getKind());
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
