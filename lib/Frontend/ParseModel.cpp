//===- ParseModel.cpp - parameters and the items of a module --------------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool Parser::parseParameters(std::vector<Parameter> &params,
                             const std::string &of) {
  mark().glueLeft = true;
  if (!openBracket(Kind::LParen, of))
    return false;
  NameMap seen;
  bool good = parseDeclList(Kind::RParen, "a parameter of " + of, [&] {
    Parameter param;
    if (!parseParameter(param))
      return false;
    if (!isNew(seen, param.name,
               "parameter '" + param.name.text + "' is declared twice"))
      return false;
    params.push_back(std::move(param));
    return true;
  });
  return good && closeBracket(Kind::RParen, "the parameters of " + of);
}

bool Parser::parseParameter(Parameter &param) {
  auto name = expectBinding("a parameter's name");
  if (!name)
    return false;
  param.name = *name;
  if (!expect(Kind::Colon, "parameter '" + name->text + "'"))
    return false;
  param.typeRange = here();
  auto type =
      parseOneOf({"int", "float", "bool", "dim", "str", "mesh_axis"}, "':'");
  if (!type)
    return false;
  param.type = static_cast<ParamType>(*type);
  if (takeIf(Kind::Assign) && !(param.defaultValue = parseExpr()))
    return false;
  param.range = since(name->range);
  return true;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

template <class Node> bool Parser::parseStrings(std::vector<ItemPtr> &items) {
  auto item = std::make_unique<Node>();
  SourceRange begin = take().range;
  do {
    if (!at(Kind::String)) {
      expected("a string after ','");
      return false;
    }
    const Token &token = take();
    item->entries.push_back({decodeString(text(token)), token.range});
  } while (takeIf(Kind::Comma));
  item->range = since(begin);
  items.push_back(std::move(item));
  return true;
}

bool Parser::parseModuleItem(std::vector<ItemPtr> &items) {
  if (atWord("let") && peekSecond() == Kind::Identifier) {
    auto item = std::make_unique<LetItem>();
    SourceRange begin = here();
    if (!parseLet(item->name, item->value))
      return false;
    item->range = since(begin);
    items.push_back(std::move(item));
    return true;
  }
  if (atWord("ignore") && peekSecond() == Kind::String)
    return parseStrings<IgnoreItem>(items);
  if (atWord("prefix") && peekSecond() == Kind::String)
    return parseStrings<PrefixItem>(items);
  if (at(Kind::Identifier) && peekSecond() == Kind::LParen)
    return parseFunction(items);
  return parseMember(items);
}

/// `let name = value`
bool Parser::parseLet(Name &name, ExprPtr &value) {
  mark().group = 1;
  take();
  auto binding = expectBinding("a name after 'let'");
  if (!binding)
    return false;
  name = *binding;
  beginCell(Column::Assign);
  return expect(Kind::Assign, "'let " + name.text + "'") &&
         (value = parseExpr());
}

/// `name = value`, `name = [a, b]` or `name = [element for i in lo..hi]`.
bool Parser::parseMember(std::vector<ItemPtr> &items) {
  SourceRange begin = here();
  mark().group = 2;
  auto name = expectBinding("a member, a function, 'let' or '}'");
  if (!name)
    return false;
  beginCell(Column::Assign);
  if (!expect(Kind::Assign, "member '" + name->text + "'"))
    return false;
  if (at(Kind::LBracket))
    return parseArray(*name, begin, items);
  auto item = std::make_unique<MemberItem>();
  item->name = *name;
  if (!(item->value = parseExpr()))
    return false;
  item->range = since(begin);
  items.push_back(std::move(item));
  return true;
}

/// What follows `name =`: a list, or one element `for` each index.
bool Parser::parseArray(const Name &name, SourceRange begin,
                        std::vector<ItemPtr> &items) {
  SourceRange open = here();
  openBracket(Kind::LBracket, "'='");
  ExprPtr first = at(Kind::RBracket) ? nullptr : parseExpr();
  if (!first && !at(Kind::RBracket))
    return false;
  if (!first || !takeWord("for")) {
    auto list = std::make_unique<ListExpr>();
    if (first) {
      if (!takeIf(Kind::Comma) && !at(Kind::RBracket)) {
        expected("',', 'for' or ']' after an element of '" + name.text + "'");
        return false;
      }
      deepen(*list, first);
      list->items.push_back(std::move(first));
    }
    auto item = std::make_unique<MemberItem>();
    item->name = name;
    if (!(item->value = parseListItems(std::move(list), open)))
      return false;
    item->range = since(begin);
    items.push_back(std::move(item));
    return true;
  }
  auto item = std::make_unique<MemberArrayItem>();
  item->name = name;
  item->element = std::move(first);
  auto variable = expectBinding("a name after 'for'");
  if (!variable || !expectWord("in", "'for " + variable->text + "'"))
    return false;
  item->variable = *variable;
  if (!(item->bounds = parseIterable()))
    return false;
  if (item->bounds->kind != Expr::Kind::Range) {
    expected("'..' after the first index")
        .note("write 'for " + variable->text + " in 0..layers'");
    return false;
  }
  if (!closeBracket(Kind::RBracket, "module array '" + name.text + "'"))
    return false;
  item->range = since(begin);
  items.push_back(std::move(item));
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Parser::parseFunction(std::vector<ItemPtr> &items) {
  auto item = std::make_unique<FunctionItem>();
  item->name = *expectName("a name");
  std::string name = "'" + item->name.text + "'";
  if (!parseSignature(name, item->args, item->results))
    return false;
  if (!parseBlock(item->body, item->results.empty()
                                  ? "the arguments of " + name
                                  : "the result type of " + name))
    return false;
  item->range = since(item->name.range);
  items.push_back(std::move(item));
  return true;
}

/// `(x: f32[...], ...) [-> f32[...]]`
bool Parser::parseSignature(const std::string &name,
                            std::vector<FunctionArg> &args,
                            std::vector<TensorType> &results) {
  mark().glueLeft = true;
  openBracket(Kind::LParen, name);
  NameMap seen;
  bool good = parseDeclList(Kind::RParen, "an argument of " + name, [&] {
    FunctionArg arg;
    auto argName = expectBinding("an argument's name");
    if (!argName || !expect(Kind::Colon, "argument '" + argName->text + "'") ||
        !parseTensorType(arg.type, "':'"))
      return false;
    arg.name = *argName;
    arg.range = since(arg.name.range);
    if (!isNew(seen, arg.name,
               "argument '" + arg.name.text + "' is declared twice"))
      return false;
    args.push_back(std::move(arg));
    return true;
  });
  if (!good || !closeBracket(Kind::RParen, "the arguments of " + name))
    return false;
  return !takeIf(Kind::Arrow) || parseResults(results);
}

/// `f32[...]` or `(f32[...], i32[...])`.
bool Parser::parseResults(std::vector<TensorType> &results) {
  auto parseOne = [&] {
    results.emplace_back();
    return parseTensorType(results.back(), "'->'");
  };
  if (!at(Kind::LParen))
    return parseOne();
  SourceRange begin = here();
  openBracket(Kind::LParen, "'->'");
  if (!parseList(Kind::RParen, "a result type", parseOne) ||
      !closeBracket(Kind::RParen, "the result types"))
    return false;
  if (!results.empty())
    return true;
  engine.error(since(begin), "expected a result type between '(' and ')'");
  return false;
}

bool Parser::parseTensorType(TensorType &type, const std::string &after) {
  auto element = expectName("a tensor type after " + after);
  if (!element)
    return false;
  type.element = *element;
  mark().glueLeft = true;
  if (!at(Kind::LBracket)) {
    expected("'[' after element type '" + element->text + "'")
        .note("a scalar is written '" + element->text + "[]'");
    return false;
  }
  openBracket(Kind::LBracket, "");
  bool good = parseList(Kind::RBracket, "a dim", [&] {
    type.dims.push_back(parseExpr());
    return type.dims.back() != nullptr;
  });
  if (!good || !closeBracket(Kind::RBracket, "the dims"))
    return false;
  type.range = since(element->range);
  return true;
}
