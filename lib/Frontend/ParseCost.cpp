//===- ParseCost.cpp - statements that change memory and time only --------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

/// `recompute PATTERN`
bool Parser::parseRecompute(Stmts &stmts) {
  auto stmt = begin<RecomputeStmt>();
  return parseSubject(stmt->pattern) && end(std::move(stmt), stmts);
}

/// `save PATTERN sharded|gathered`
bool Parser::parseSave(Stmts &stmts) {
  auto stmt = begin<SaveStmt>();
  if (!parseSubject(stmt->pattern))
    return false;
  beginCell(Column::Option);
  auto how = parseOneOf({"sharded", "gathered"}, lastText());
  if (!how)
    return false;
  stmt->gathered = *how == 1;
  return end(std::move(stmt), stmts);
}

/// `fsdp PATTERN over AXES [stage N]`
bool Parser::parseFsdp(Stmts &stmts) {
  auto stmt = begin<FsdpStmt>();
  if (!parseSubject(stmt->pattern) || !parseAxes(stmt->axes))
    return false;
  if (atWord("stage")) {
    beginCell(Column::Option);
    take();
    if (!(stmt->stage = parseExpr()))
      return false;
  }
  return end(std::move(stmt), stmts);
}

/// `fuse PATTERN, ...`
bool Parser::parseFuse(Stmts &stmts) {
  auto stmt = begin<FuseStmt>();
  do {
    if (!parsePattern(stmt->patterns.emplace_back(),
                      stmt->patterns.size() == 1 ? "'fuse'" : "','"))
      return false;
  } while (takeIf(Kind::Comma));
  return end(std::move(stmt), stmts);
}

/// `bucket gradients 25 MiB over AXES`
bool Parser::parseBucket(Stmts &stmts) {
  auto stmt = begin<BucketStmt>();
  if (!parseOneOf({"gradients", "parameters"}, "'bucket'"))
    return false;
  stmt->what = {std::string(sources.getText(lastRange())), lastRange()};
  return parseByteSize(stmt->size, "'" + stmt->what.text + "'") &&
         parseAxes(stmt->axes) && end(std::move(stmt), stmts);
}

/// `hook PATTERN with NAME`
bool Parser::parseHook(Stmts &stmts) {
  auto stmt = begin<HookStmt>();
  if (!parseSubject(stmt->pattern))
    return false;
  beginCell(Column::Value);
  if (!expectWord("with", lastText()))
    return false;
  auto name = expectName("a hook's name after 'with'");
  if (!name)
    return false;
  stmt->hook = *name;
  return end(std::move(stmt), stmts);
}
