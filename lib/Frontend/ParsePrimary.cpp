//===- ParsePrimary.cpp - values, calls, indices and tuples ---------------===//

#include "ParserImpl.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace hocket::syntax;

//===----------------------------------------------------------------------===//
// Postfix
//===----------------------------------------------------------------------===//

ExprPtr Parser::parsePostfix() {
  SourceRange begin = here();
  ExprPtr value = parsePrimary();
  while (value) {
    if (at(Kind::LParen)) {
      value = parseCall(std::move(value));
    } else if (at(Kind::LBracket)) {
      value = parseIndex(std::move(value));
    } else if (at(Kind::Dot)) {
      take();
      auto node = std::make_unique<AttributeExpr>();
      auto name = expectName("a name after '.'");
      if (!name)
        return nullptr;
      node->name = *name;
      node->base = std::move(value);
      deepen(*node, node->base);
      value = finish(std::move(node), begin);
    } else {
      return value;
    }
  }
  return nullptr;
}

ExprPtr Parser::parseCall(ExprPtr callee) {
  auto node = std::make_unique<CallExpr>();
  SourceRange begin = callee->range;
  std::string name = "the call";
  if (auto *simple = dynAs<NameExpr>(callee))
    name = "'" + simple->name + "'";
  deepen(*node, callee);
  node->callee = std::move(callee);
  if (!parseArguments(node->args, name))
    return nullptr;
  for (const Argument &arg : node->args)
    deepen(*node, arg.value);
  return finish(std::move(node), begin);
}

bool Parser::parseArguments(std::vector<Argument> &args,
                            const std::string &where) {
  mark().glueLeft = true;
  if (!openBracket(Kind::LParen, where))
    return false;
  NameMap seen;
  bool good = parseList(Kind::RParen, "an argument of " + where, [&] {
    Argument arg;
    if (!parseArgument(arg, "an argument of " + where))
      return false;
    if (!arg.name && !args.empty() && args.back().name) {
      engine.error(arg.range, "a positional argument follows a named one")
          .note(args.back().range, "the named one");
      return false;
    }
    if (arg.name && !isNew(seen, *arg.name,
                           "argument '" + arg.name->text + "' is given twice"))
      return false;
    args.push_back(std::move(arg));
    return true;
  });
  return good && closeBracket(Kind::RParen, "the arguments of " + where);
}

bool Parser::parseArgument(Argument &argument, const std::string &where) {
  SourceRange begin = here();
  if (at(Kind::Identifier) && peekSecond() == Kind::Assign) {
    argument.name = expectName("a name");
    take();
  }
  if (!(argument.value = parseExpr()))
    return false;
  if (allowExcept && argument.name && takeWord("except")) {
    argument.except = std::make_unique<PathPattern>();
    if (!parsePattern(*argument.except, "'except'"))
      return false;
  }
  argument.range = since(begin);
  return true;
}

/// `f32[]` is the type of a scalar, which a Parameter may have.
static bool isElementType(const Expr &expr) {
  static const char *const names[] = {"f32", "f64", "f16", "bf16",
                                      "i32", "i64", "bool"};
  auto *word = dynAs<NameExpr>(&expr);
  return word && std::find(std::begin(names), std::end(names), word->name) !=
                     std::end(names);
}

ExprPtr Parser::parseIndex(ExprPtr base) {
  auto node = std::make_unique<IndexExpr>();
  SourceRange begin = base->range;
  deepen(*node, base);
  node->base = std::move(base);
  mark().glueLeft = true;
  SourceRange open = here();
  openBracket(Kind::LBracket, "a value");
  bool good = parseList(Kind::RBracket, "an index", [&] {
    Subscript subscript;
    if (!parseSubscript(subscript))
      return false;
    for (const ExprPtr *part : {&subscript.lo, &subscript.hi, &subscript.step})
      deepen(*node, *part);
    node->subscripts.push_back(std::move(subscript));
    return true;
  });
  if (!good || !closeBracket(Kind::RBracket, "the indices"))
    return nullptr;
  if (node->subscripts.empty() && !isElementType(*node->base)) {
    engine.error(since(open), "expected an index between '[' and ']'");
    return nullptr;
  }
  return finish(std::move(node), begin);
}

bool Parser::parseSubscript(Subscript &subscript) {
  SourceRange begin = here();
  ExprPtr *parts[] = {&subscript.lo, &subscript.hi, &subscript.step};
  for (unsigned i = 0; i < 3; ++i) {
    bool isEmpty = at(Kind::Colon) || at(Kind::Comma) || at(Kind::RBracket);
    if ((!isEmpty || (i == 0 && !at(Kind::Colon))) &&
        !(*parts[i] = parseExpr()))
      return false;
    if (i == 2 || !at(Kind::Colon))
      break;
    subscript.isSlice = true;
    mark().glueLeft = mark().glueRight = true;
    take();
  }
  subscript.range = since(begin);
  return true;
}

//===----------------------------------------------------------------------===//
// Primaries
//===----------------------------------------------------------------------===//

ExprPtr Parser::parsePrimary() {
  switch (peek()) {
  case Kind::Integer:
  case Kind::Float:
    return parseNumber();
  case Kind::LParen:
    return parseParenthesized();
  case Kind::LBracket:
    return parseListExpr();
  case Kind::String: {
    auto node = makeLeaf<StringExpr>();
    node->value = decodeString(text(take()));
    return node;
  }
  case Kind::Identifier:
    break;
  default:
    Diagnostic &error = expected("a value");
    if (at(Kind::EndOfLine) && lexed.tokens[pos - 1].kind >= Kind::Assign)
      error.note("a line goes on only inside brackets: put the value in "
                 "parentheses");
    return nullptr;
  }
  std::string_view word = text(current());
  if (word == "and" || word == "or" || word == "if" || word == "else") {
    expected("a value");
    return nullptr;
  }
  if (word == "none") {
    auto node = makeLeaf<NoneExpr>();
    take();
    return node;
  }
  if (word == "true" || word == "false") {
    auto node = makeLeaf<BoolExpr>();
    node->value = word == "true";
    take();
    return node;
  }
  auto node = makeLeaf<NameExpr>();
  node->name = std::string(word);
  take();
  return node;
}

ExprPtr Parser::parseNumber() {
  std::string spelling(text(current()));
  if (at(Kind::Float)) {
    auto node = makeLeaf<FloatExpr>();
    take();
    node->value = std::strtod(spelling.c_str(), nullptr);
    if (std::isfinite(node->value))
      return node;
    engine.error(node->range, "this number is too large for a 64-bit float");
    return nullptr;
  }
  auto node = makeLeaf<IntExpr>();
  take();
  errno = 0;
  node->value = std::strtoll(spelling.c_str(), nullptr, 10);
  if (errno == 0)
    return node;
  engine.error(node->range, "this integer is too large; the largest is "
                            "9223372036854775807");
  return nullptr;
}

/// `(a)` is a itself; `(a, b)`, `(a,)`, `(n = a)` and `()` are tuples.
ExprPtr Parser::parseParenthesized() {
  auto node = std::make_unique<TupleExpr>();
  SourceRange begin = here();
  openBracket(Kind::LParen, "");
  NameMap seen;
  bool hasComma = false;
  while (!at(Kind::RParen)) {
    Argument item;
    if (!parseArgument(item, "the tuple"))
      return nullptr;
    if (item.name &&
        !isNew(seen, *item.name,
               "'" + item.name->text + "' occurs twice in this tuple"))
      return nullptr;
    deepen(*node, item.value);
    node->items.push_back(std::move(item));
    if (takeIf(Kind::Comma)) {
      hasComma = true;
    } else if (!at(Kind::RParen)) {
      reportListEnd(Kind::RParen, "a value in parentheses");
      return nullptr;
    }
  }
  closeBracket(Kind::RParen, "");
  if (node->items.size() == 1 && !hasComma && !node->items[0].name)
    return std::move(node->items[0].value);
  return finish(std::move(node), begin);
}

ExprPtr Parser::parseListExpr() {
  SourceRange begin = here();
  openBracket(Kind::LBracket, "");
  return parseListItems(std::make_unique<ListExpr>(), begin);
}

/// What is left of a list, up to its bracket.
ExprPtr Parser::parseListItems(std::unique_ptr<ListExpr> node,
                               SourceRange begin) {
  bool good = parseList(Kind::RBracket, "a list item", [&] {
    ExprPtr item = parseExpr();
    if (!item)
      return false;
    deepen(*node, item);
    node->items.push_back(std::move(item));
    return true;
  });
  if (!good || !closeBracket(Kind::RBracket, "the list"))
    return nullptr;
  return finish(std::move(node), begin);
}

ExprPtr Parser::parseIterable() {
  SourceRange begin = here();
  ExprPtr lo = parseExpr();
  if (!lo || !takeIf(Kind::DotDot))
    return lo;
  auto node = std::make_unique<RangeExpr>();
  node->lo = std::move(lo);
  if (!(node->hi = parseExpr()))
    return nullptr;
  deepen(*node, node->lo);
  deepen(*node, node->hi);
  return finish(std::move(node), begin);
}
