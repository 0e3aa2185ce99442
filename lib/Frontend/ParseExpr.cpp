//===- ParseExpr.cpp - expressions ----------------------------------------===//
//
// Precedence climbing over Python's operators. Levels, loosest first:
//   0 a if c else b   1 or   2 and   3 not   4 comparisons (not chained)
//   5 + -   6 * / // %   7 unary + -   8 ** (to the right)   9 a.b a() a[]
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <algorithm>

using namespace hocket::syntax;

namespace {
struct Operator {
  unsigned precedence;
  BinaryOp op;
};
constexpr unsigned kNot = 3;
constexpr unsigned kComparison = 4;
constexpr unsigned kPower = 8;
} // namespace

static std::optional<Operator> getOperator(TokenKind kind,
                                           std::string_view word) {
  switch (kind) {
  case TokenKind::Identifier:
    if (word == "or")
      return Operator{1, BinaryOp::Or};
    if (word == "and")
      return Operator{2, BinaryOp::And};
    return std::nullopt;
  case TokenKind::Equal:
    return Operator{kComparison, BinaryOp::Equal};
  case TokenKind::NotEqual:
    return Operator{kComparison, BinaryOp::NotEqual};
  case TokenKind::Less:
    return Operator{kComparison, BinaryOp::Less};
  case TokenKind::LessEqual:
    return Operator{kComparison, BinaryOp::LessEqual};
  case TokenKind::Greater:
    return Operator{kComparison, BinaryOp::Greater};
  case TokenKind::GreaterEqual:
    return Operator{kComparison, BinaryOp::GreaterEqual};
  case TokenKind::Plus:
    return Operator{5, BinaryOp::Add};
  case TokenKind::Minus:
    return Operator{5, BinaryOp::Sub};
  case TokenKind::Star:
    return Operator{6, BinaryOp::Mul};
  case TokenKind::Slash:
    return Operator{6, BinaryOp::Div};
  case TokenKind::SlashSlash:
    return Operator{6, BinaryOp::FloorDiv};
  case TokenKind::Percent:
    return Operator{6, BinaryOp::Mod};
  default:
    return std::nullopt;
  }
}

void Parser::deepen(Expr &node, const ExprPtr &child) {
  if (child)
    node.depth = std::max(node.depth, child->depth + 1);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ExprPtr Parser::parseExpr() {
  DepthScope scope(*this);
  if (!scope.isGood)
    return nullptr;
  SourceRange begin = here();
  ExprPtr value = parseBinary(1);
  if (!value || !atWord("if"))
    return value;
  take();
  auto node = std::make_unique<ConditionalExpr>();
  node->thenValue = std::move(value);
  if (!(node->condition = parseBinary(1)) ||
      !expectWord("else", "the condition of 'if'") ||
      !(node->elseValue = parseExpr()))
    return nullptr;
  deepen(*node, node->thenValue);
  deepen(*node, node->condition);
  deepen(*node, node->elseValue);
  return finish(std::move(node), begin);
}

ExprPtr Parser::parseBinary(unsigned minPrecedence) {
  SourceRange begin = here();
  ExprPtr lhs = parseUnary(minPrecedence);
  while (lhs) {
    auto next = getOperator(peek(), text(current()));
    if (!next || next->precedence < minPrecedence)
      return lhs;
    auto node = std::make_unique<BinaryExpr>();
    node->op = next->op;
    node->opRange = take().range;
    node->lhs = std::move(lhs);
    if (!(node->rhs = parseBinary(next->precedence + 1)))
      return nullptr;
    if (next->precedence == kComparison) {
      auto again = getOperator(peek(), text(current()));
      if (again && again->precedence == kComparison) {
        engine.error(here(), "comparisons do not chain")
            .note("write 'a < b and b < c'");
        return nullptr;
      }
    }
    deepen(*node, node->lhs);
    deepen(*node, node->rhs);
    lhs = finish(std::move(node), begin);
  }
  return nullptr;
}

ExprPtr Parser::parseUnary(unsigned minPrecedence) {
  bool isNot = atWord("not");
  if (!isNot && !at(Kind::Minus) && !at(Kind::Plus))
    return parsePower();
  DepthScope scope(*this);
  if (!scope.isGood)
    return nullptr;
  if (isNot && minPrecedence > kNot) {
    engine.error(here(), "'not' binds looser than the operator before it")
        .note("put it in parentheses: '(not x)'");
    return nullptr;
  }
  auto node = std::make_unique<UnaryExpr>();
  node->op = isNot             ? UnaryOp::Not
             : at(Kind::Minus) ? UnaryOp::Negate
                               : UnaryOp::Plus;
  SourceRange begin = take().range;
  lastMark().glueRight = !isNot;
  node->operand = isNot ? parseBinary(kNot) : parseUnary(kPower);
  if (!node->operand)
    return nullptr;
  deepen(*node, node->operand);
  return finish(std::move(node), begin);
}

ExprPtr Parser::parsePower() {
  SourceRange begin = here();
  ExprPtr base = parsePostfix();
  if (!base || !at(Kind::StarStar))
    return base;
  DepthScope scope(*this);
  if (!scope.isGood)
    return nullptr;
  auto node = std::make_unique<BinaryExpr>();
  node->op = BinaryOp::Pow;
  node->opRange = take().range;
  node->lhs = std::move(base);
  if (!(node->rhs = parseUnary(kPower)))
    return nullptr;
  deepen(*node, node->lhs);
  deepen(*node, node->rhs);
  return finish(std::move(node), begin);
}
