//===- Print.cpp - small AST nodes as source text -------------------------===//

#include "hocket/Frontend/Print.h"

#include <cstdio>
#include <cstdlib>

using namespace hocket::syntax;

namespace {
/// Precedence levels as in ParseExpr.cpp.
enum Level : unsigned {
  kConditional = 0,
  kNot = 3,
  kComparison = 4,
  kUnary = 7,
  kPower = 8,
  kPostfix = 9,
};
} // namespace

static unsigned getLevel(BinaryOp op) {
  switch (op) {
  case BinaryOp::Or:
    return 1;
  case BinaryOp::And:
    return 2;
  case BinaryOp::Add:
  case BinaryOp::Sub:
    return 5;
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return 6;
  case BinaryOp::Pow:
    return kPower;
  default:
    return kComparison;
  }
}

static unsigned getLevel(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Conditional:
    return kConditional;
  case Expr::Kind::Unary:
    return dynAs<UnaryExpr>(&expr)->op == UnaryOp::Not ? kNot : kUnary;
  case Expr::Kind::Binary:
    return getLevel(dynAs<BinaryExpr>(&expr)->op);
  case Expr::Kind::Range:
    return kConditional;
  default:
    return kPostfix;
  }
}

/// The shortest text that reads back as the same number, always a Float token.
static std::string formatFloat(double value) {
  char buffer[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  // 10000.0 rather than 1e+04.
  if (value >= 1e4 && value < 1e15 && value == static_cast<int64_t>(value))
    std::snprintf(buffer, sizeof(buffer), "%.1f", value);
  std::string text = buffer;
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

static std::string quote(const std::string &value) {
  std::string text = "\"";
  for (char c : value)
    if (c == '\n')
      text += "\\n";
    else if (c == '\t')
      text += "\\t";
    else
      text += std::string(c == '"' || c == '\\' ? "\\" : "") + c;
  return text + "\"";
}

/// `expr`, in parentheses when it binds looser than `level`.
static std::string print(const ExprPtr &expr, unsigned level) {
  if (!expr)
    return "";
  std::string text = toString(*expr);
  return getLevel(*expr) < level ? "(" + text + ")" : text;
}

template <typename Range, typename Fn>
static std::string join(const Range &range, Fn print) {
  std::string text;
  bool first = true;
  for (const auto &item : range) {
    text += (first ? "" : ", ") + print(item);
    first = false;
  }
  return text;
}

static std::string printArgument(const Argument &arg) {
  std::string text = arg.name ? arg.name->text + " = " : "";
  text += print(arg.value, kConditional);
  return arg.except ? text + " except " + arg.except->str() : text;
}

static std::string printSubscript(const Subscript &subscript) {
  std::string text = print(subscript.lo, kConditional);
  if (subscript.isSlice)
    text += ":" + print(subscript.hi, kConditional);
  return subscript.step ? text + ":" + print(subscript.step, kConditional)
                        : text;
}

static std::string printBinary(const BinaryExpr &expr) {
  unsigned level = getLevel(expr.op);
  // Comparisons take no comparison at either side; `**` goes to the right and
  // takes a signed exponent.
  unsigned left = level, right = level + 1;
  if (level == kComparison)
    left = level + 1;
  if (expr.op == BinaryOp::Pow) {
    left = kPostfix;
    right = kUnary;
  }
  return print(expr.lhs, left) + " " + getSpelling(expr.op) + " " +
         print(expr.rhs, right);
}

static std::string printTuple(const TupleExpr &expr) {
  bool needsComma = expr.items.size() == 1 && !expr.items[0].name;
  return "(" + join(expr.items, printArgument) + (needsComma ? ",)" : ")");
}

static std::string printUnary(const UnaryExpr &expr) {
  if (expr.op == UnaryOp::Not)
    return "not " + print(expr.operand, kNot);
  return getSpelling(expr.op) + print(expr.operand, kUnary);
}

std::string hocket::syntax::toString(const Expr &expr) {
  auto loose = [](const ExprPtr &item) { return print(item, kConditional); };
  switch (expr.kind) {
  case Expr::Kind::Int:
    return std::to_string(dynAs<IntExpr>(&expr)->value);
  case Expr::Kind::Float:
    return formatFloat(dynAs<FloatExpr>(&expr)->value);
  case Expr::Kind::String:
    return quote(dynAs<StringExpr>(&expr)->value);
  case Expr::Kind::Bool:
    return dynAs<BoolExpr>(&expr)->value ? "true" : "false";
  case Expr::Kind::None:
    return "none";
  case Expr::Kind::Name:
    return dynAs<NameExpr>(&expr)->name;
  case Expr::Kind::Attribute: {
    auto *node = dynAs<AttributeExpr>(&expr);
    return print(node->base, kPostfix) + "." + node->name.text;
  }
  case Expr::Kind::Call: {
    auto *node = dynAs<CallExpr>(&expr);
    return print(node->callee, kPostfix) + "(" +
           join(node->args, printArgument) + ")";
  }
  case Expr::Kind::Index: {
    auto *node = dynAs<IndexExpr>(&expr);
    return print(node->base, kPostfix) + "[" +
           join(node->subscripts, printSubscript) + "]";
  }
  case Expr::Kind::Tuple:
    return printTuple(*dynAs<TupleExpr>(&expr));
  case Expr::Kind::List:
    return "[" + join(dynAs<ListExpr>(&expr)->items, loose) + "]";
  case Expr::Kind::Range: {
    auto *node = dynAs<RangeExpr>(&expr);
    return loose(node->lo) + ".." + loose(node->hi);
  }
  case Expr::Kind::Unary:
    return printUnary(*dynAs<UnaryExpr>(&expr));
  case Expr::Kind::Binary:
    return printBinary(*dynAs<BinaryExpr>(&expr));
  case Expr::Kind::Conditional: {
    auto *node = dynAs<ConditionalExpr>(&expr);
    return print(node->thenValue, 1) + " if " + print(node->condition, 1) +
           " else " + loose(node->elseValue);
  }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Patterns and clauses
//===----------------------------------------------------------------------===//

static std::string printSelector(const IndexSelector &selector) {
  switch (selector.kind) {
  case IndexSelector::Kind::Single:
    return print(selector.lo, kConditional);
  case IndexSelector::Kind::Range:
    return print(selector.lo, kConditional) + ".." +
           print(selector.hi, kConditional);
  case IndexSelector::Kind::Even:
    return "even";
  case IndexSelector::Kind::Odd:
    return "odd";
  }
  return "";
}

static std::string printComponent(const PatternComponent &component) {
  switch (component.kind) {
  case PatternComponent::Kind::Name:
  case PatternComponent::Kind::Glob:
    return component.text;
  case PatternComponent::Kind::Any:
    return "*";
  case PatternComponent::Kind::AnyDepth:
    return "**";
  case PatternComponent::Kind::Index:
    return "[" + join(component.selectors, printSelector) + "]";
  case PatternComponent::Kind::Alternation: {
    std::string text = "{";
    for (const PathPattern &branch : component.branches)
      text += (text.size() > 1 ? "," : "") + branch.str();
    return text + "}";
  }
  }
  return "";
}

std::string PathPattern::str() const {
  if (isSelf())
    return ".";
  std::string text;
  for (const PatternComponent &component : components) {
    bool dot = component.kind != PatternComponent::Kind::Index;
    text += (dot && !text.empty() ? "." : "") + printComponent(component);
  }
  return text;
}

std::string hocket::syntax::toString(const TensorType &type) {
  return type.element.text + "[" +
         join(type.dims,
              [](const ExprPtr &dim) { return print(dim, kConditional); }) +
         "]";
}

static std::string printDistribution(const Distribution &distribution) {
  auto values = join(distribution.values, [](const ExprPtr &value) {
    return print(value, kConditional);
  });
  std::string word = getSpelling(distribution.kind);
  if (distribution.values.empty())
    return word;
  // A name behind `striped` could be the next word of the line.
  bool isOne = distribution.kind == Distribution::Kind::Aligned ||
               (distribution.kind == Distribution::Kind::Striped &&
                distribution.values[0]->kind == Expr::Kind::Int);
  return word + (isOne ? " " + values : " (" + values + ")");
}

std::string hocket::syntax::toString(const AxisList &axes) {
  auto printUse = [](const AxisUse &use) {
    return use.distribution
               ? use.name.text + " " + printDistribution(*use.distribution)
               : use.name.text;
  };
  bool bare = axes.axes.size() == 1 && !axes.axes[0].distribution;
  std::string text = join(axes.axes, printUse);
  return bare ? text : "(" + text + ")";
}
