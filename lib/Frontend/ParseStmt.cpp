//===- ParseStmt.cpp - the statements of a function -----------------------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

bool Parser::parseBlock(Block &block, const std::string &after) {
  return parseBraced(after, block.range,
                     [&] { return parseStmt(block.stmts); });
}

/// A statement begins with a keyword, unless that word is assigned to.
bool Parser::parseStmt(std::vector<StmtPtr> &stmts) {
  DepthScope scope(*this);
  if (!scope.isGood)
    return false;
  Kind second = peekSecond();
  if (second == Kind::Assign || second == Kind::Comma)
    return parseAssign(stmts);
  if (atWord("let")) {
    auto stmt = std::make_unique<LetStmt>();
    SourceRange begin = here();
    if (!parseLet(stmt->name, stmt->value))
      return false;
    stmt->range = since(begin);
    stmts.push_back(std::move(stmt));
    return true;
  }
  if (atWord("for"))
    return parseFor(stmts);
  if (atWord("return"))
    return parseReturn(stmts);
  if (atWord("if")) {
    StmtPtr stmt = parseIf();
    if (!stmt)
      return false;
    stmts.push_back(std::move(stmt));
    return true;
  }
  if (atWord("else")) {
    engine.error(here(), "'else' stands on the line of the '}' before it")
        .note("write '} else {'");
    return false;
  }
  return parseAssign(stmts);
}

/// `a, b = value` or `a, b = value, value`.
bool Parser::parseAssign(std::vector<StmtPtr> &stmts) {
  auto stmt = std::make_unique<AssignStmt>();
  SourceRange begin = here();
  NameMap seen;
  do {
    auto target = expectBinding(stmt->targets.empty() ? "a statement or '}'"
                                                      : "a name after ','");
    if (!target)
      return false;
    if (target->text != "_" &&
        !isNew(seen, *target,
               "'" + target->text + "' is assigned to twice here"))
      return false;
    stmt->targets.push_back(*target);
  } while (takeIf(Kind::Comma));
  const std::string &last = stmt->targets.back().text;
  if (!at(Kind::Assign)) {
    Diagnostic &error = expected("'=' after '" + last + "'");
    if (at(Kind::LParen))
      error.note(
          "a call is not a statement: a function has no effect except its "
          "result");
    else
      error.suggest(last, {"for", "return", "let", "if"});
    return false;
  }
  take();
  if (!parseValues(stmt->values))
    return false;
  size_t targets = stmt->targets.size(), values = stmt->values.size();
  if (values != 1 && values != targets) {
    engine.error(stmt->values.front()->range.to(stmt->values.back()->range),
                 "expected 1 value" +
                     (targets == 1 ? ""
                                   : " or " + std::to_string(targets) +
                                         ", one for each name") +
                     ", found " + std::to_string(values));
    return false;
  }
  stmt->range = since(begin);
  stmts.push_back(std::move(stmt));
  return true;
}

bool Parser::parseValues(std::vector<ExprPtr> &values) {
  do {
    values.push_back(parseExpr());
    if (!values.back())
      return false;
  } while (takeIf(Kind::Comma));
  return true;
}

bool Parser::parseFor(std::vector<StmtPtr> &stmts) {
  auto stmt = std::make_unique<ForStmt>();
  SourceRange begin = take().range;
  auto variable = expectBinding("a name after 'for'");
  if (!variable || !expectWord("in", "'for " + variable->text + "'") ||
      !(stmt->iterable = parseIterable()))
    return false;
  stmt->variable = *variable;
  if (!parseBlock(stmt->body, "what 'for' runs over"))
    return false;
  stmt->range = since(begin);
  stmts.push_back(std::move(stmt));
  return true;
}

StmtPtr Parser::parseIf() {
  DepthScope scope(*this);
  if (!scope.isGood)
    return nullptr;
  auto stmt = std::make_unique<IfStmt>();
  SourceRange begin = take().range;
  if (!(stmt->condition = parseExpr()) ||
      !parseBlock(stmt->thenBlock, "the condition of 'if'"))
    return nullptr;
  if (takeWord("else")) {
    stmt->elseBlock.emplace();
    if (atWord("if")) {
      StmtPtr inner = parseIf();
      if (!inner)
        return nullptr;
      stmt->elseBlock->range = inner->range;
      stmt->elseBlock->stmts.push_back(std::move(inner));
    } else if (!parseBlock(*stmt->elseBlock, "'else'")) {
      return nullptr;
    }
  }
  stmt->range = since(begin);
  return stmt;
}

bool Parser::parseReturn(std::vector<StmtPtr> &stmts) {
  auto stmt = std::make_unique<ReturnStmt>();
  SourceRange begin = take().range;
  if (!parseValues(stmt->values))
    return false;
  stmt->range = since(begin);
  stmts.push_back(std::move(stmt));
  return true;
}
