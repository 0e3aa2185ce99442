//===- Static.cpp - numbers known when compiling --------------------------===//

#include "Elaborator.h"
#include "dialects/Nn/Elementwise.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

std::optional<int64_t> Elaborator::evaluateInt(const Expr &expr,
                                               const Scope &scope) {
  MaybeDatum datum = evaluate(expr, scope);
  if (!datum)
    return std::nullopt;
  if (auto value = datum->integer())
    return value;
  error(expr.range, std::string("expected an int, found ") + datum->kindName());
  return std::nullopt;
}

std::optional<double> Elaborator::evaluateFloat(const Expr &expr,
                                                const Scope &scope) {
  MaybeDatum datum = evaluate(expr, scope);
  if (!datum)
    return std::nullopt;
  if (auto value = datum->number())
    return value;
  error(expr.range,
        std::string("expected a number, found ") + datum->kindName());
  return std::nullopt;
}

std::optional<bool> Elaborator::evaluateBool(const Expr &expr,
                                             const Scope &scope) {
  MaybeDatum datum = evaluate(expr, scope);
  if (!datum)
    return std::nullopt;
  if (auto *value = datum->as<bool>())
    return *value;
  error(expr.range,
        std::string("expected true or false, found ") + datum->kindName());
  return std::nullopt;
}

Elaborator::MaybeDatum Elaborator::evaluateAs(ParamType type, const Expr &expr,
                                              const Scope &scope,
                                              const std::string &name) {
  if (type == ParamType::Dim) {
    auto dim = evaluateDim(expr, scope);
    if (!dim)
      return std::nullopt;
    // A plain size takes the name of the parameter that receives it.
    if (dim->getFactors().size() == 1)
      return Datum(nn::dimOf(context, name, dim->getSize()));
    return Datum(*dim);
  }
  if (type == ParamType::MeshAxis) {
    auto *word = dynAs<NameExpr>(&expr);
    if (!word) {
      MaybeDatum found = evaluate(expr, scope);
      if (found)
        error(expr.range, "'" + name +
                              "' takes the name of a mesh axis, found " +
                              found->kindName());
      return std::nullopt;
    }
    const Datum *held = scope.find(word->name);
    if (held && held->as<AxisName>())
      return *held;
    return Datum(AxisName{word->name, word->range});
  }
  MaybeDatum datum = evaluate(expr, scope);
  if (!datum)
    return std::nullopt;
  bool fits = false;
  switch (type) {
  case ParamType::Int:
    if (auto value = datum->integer())
      return Datum(*value);
    break;
  case ParamType::Float:
    if (auto value = datum->number())
      return Datum(*value);
    break;
  case ParamType::Bool:
    fits = datum->as<bool>();
    break;
  case ParamType::Str:
    fits = datum->as<std::string>();
    break;
  case ParamType::Dim:
  case ParamType::MeshAxis:
    break;
  }
  if (fits)
    return datum;
  const char *article = type == ParamType::Int ? "an " : "a ";
  error(expr.range, "'" + name + "' takes " + article + getSpelling(type) +
                        ", found " + datum->kindName());
  return std::nullopt;
}

namespace {

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<Datum> integerBinary(BinaryOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional<Datum>(result);
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional<Datum>(result);
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional<Datum>(result);
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
    return Datum(floorDivide(a, b));
  case BinaryOp::Mod:
    return Datum(a - floorDivide(a, b) * b);
  case BinaryOp::Pow: {
    double value = std::pow(static_cast<double>(a), static_cast<double>(b));
    if (b < 0 || std::fabs(value) > 9e15)
      return std::nullopt;
    return Datum(static_cast<int64_t>(value));
  }
  default:
    return std::nullopt;
  }
}

std::optional<Datum> floatBinary(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return Datum(a + b);
  case BinaryOp::Sub:
    return Datum(a - b);
  case BinaryOp::Mul:
    return Datum(a * b);
  case BinaryOp::Div:
    return Datum(a / b);
  case BinaryOp::FloorDiv:
    return Datum(std::floor(a / b));
  case BinaryOp::Mod:
    return Datum(a - std::floor(a / b) * b);
  case BinaryOp::Pow:
    return Datum(std::pow(a, b));
  default:
    return std::nullopt;
  }
}

std::optional<bool> compare(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Less:
    return a < b;
  case BinaryOp::LessEqual:
    return a <= b;
  case BinaryOp::Greater:
    return a > b;
  case BinaryOp::GreaterEqual:
    return a >= b;
  case BinaryOp::Equal:
    return a == b;
  case BinaryOp::NotEqual:
    return a != b;
  default:
    return std::nullopt;
  }
}

bool isDivision(BinaryOp op) {
  return op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
}

} // namespace

Elaborator::MaybeDatum Elaborator::staticBinary(const BinaryExpr &expr,
                                                const Datum &lhs,
                                                const Datum &rhs) {
  if (lhs.as<bool>() && rhs.as<bool>()) {
    bool a = *lhs.as<bool>(), b = *rhs.as<bool>();
    if (expr.op == BinaryOp::And)
      return Datum(a && b);
    if (expr.op == BinaryOp::Or)
      return Datum(a || b);
  }
  auto a = lhs.number(), b = rhs.number();
  if (!a || !b) {
    error(expr.opRange, std::string("'") + getSpelling(expr.op) +
                            "' does not take " + lhs.kindName() + " and " +
                            rhs.kindName());
    return std::nullopt;
  }
  if (auto result = compare(expr.op, *a, *b))
    return Datum(*result);
  if (isDivision(expr.op) && *b == 0) {
    error(expr.opRange, "division by zero");
    return std::nullopt;
  }
  auto wholeA = lhs.integer(), wholeB = rhs.integer();
  if (!wholeA || !wholeB)
    return floatBinary(expr.op, *a, *b);
  // Sizes divide exactly or not at all: 10 / 4 in a model is a mistake.
  if (expr.op == BinaryOp::Div && *wholeA % *wholeB != 0) {
    error(expr.range, std::to_string(*wholeA) + " is not divisible by " +
                          std::to_string(*wholeB))
        .note("'//' divides and rounds down");
    return std::nullopt;
  }
  auto result = integerBinary(expr.op, *wholeA, *wholeB);
  if (!result)
    error(expr.range, "the value does not fit an int");
  return result;
}

bool Elaborator::bindParameters(const std::vector<Parameter> &params,
                                const std::vector<Argument> &args,
                                SourceRange use, const Scope &caller,
                                Scope &into, const std::string &what,
                                SourceRange declared) {
  std::map<std::string, const Expr *> given;
  bool ok = true;
  for (size_t i = 0; i < args.size(); ++i) {
    const Argument &argument = args[i];
    if (!argument.name && i >= params.size()) {
      error(argument.range,
            "'" + what + "' takes " + std::to_string(params.size()) +
                (params.size() == 1 ? " argument" : " arguments") + ", found " +
                std::to_string(args.size()))
          .note(declared, "'" + what + "' is declared here");
      return false;
    }
    std::string name =
        argument.name ? argument.name->text : params[i].name.text;
    bool known = false;
    for (const Parameter &param : params)
      known |= param.name.text == name;
    if (!known || given.count(name)) {
      std::vector<std::string> names;
      for (const Parameter &param : params)
        names.push_back(param.name.text);
      error(argument.range,
            known ? "'" + name + "' is given twice"
                  : "'" + what + "' has no parameter '" + name + "'")
          .suggest(name, names);
      ok = false;
      continue;
    }
    given[name] = argument.value.get();
  }
  for (const Parameter &param : params) {
    auto found = given.find(param.name.text);
    const Expr *expr =
        found != given.end() ? found->second : param.defaultValue.get();
    if (!expr) {
      error(use, "'" + what + "' needs a value for '" + param.name.text + "'")
          .note(param.range, "'" + param.name.text + "' is declared here");
      ok = false;
      continue;
    }
    const Scope &scope = found != given.end() ? caller : into;
    MaybeDatum datum = evaluateAs(param.type, *expr, scope, param.name.text);
    if (datum)
      into.names[param.name.text] = *datum;
    ok &= datum.has_value();
  }
  return ok;
}
