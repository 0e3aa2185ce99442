//===- ParserLoops.h - the parser's loops over lists and statements -------===//
//
// The member templates of Parser, for ParserImpl.h only.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_FRONTEND_PARSERLOOPS_H
#define HOCKET_LIB_FRONTEND_PARSERLOOPS_H

#include "ParserImpl.h"

namespace hocket::syntax {

template <typename Fn>
bool Parser::parseList(TokenKind close, const std::string &what, Fn item) {
  while (!at(close)) {
    if (!item())
      return false;
    if (!takeIf(Kind::Comma) && !at(close))
      return reportListEnd(close, what);
  }
  return true;
}

template <typename Fn>
bool Parser::parseDeclList(TokenKind close, const std::string &what, Fn item) {
  while (!at(close)) {
    size_t begin = pos, open = brackets.size();
    if (item() &&
        (at(Kind::Comma) || at(close) || reportListEnd(close, what))) {
      takeIf(Kind::Comma);
      continue;
    }
    brackets.resize(open);
    if (!skipListItem(begin, close))
      return false;
    takeIf(Kind::Comma);
  }
  return true;
}

template <typename Fn> void Parser::parseLine(Fn statement) {
  size_t begin = pos;
  lineBegin = pos;
  mark().startsStatement = true;
  bool good = statement();
  if (good && !at(Kind::EndOfLine) && !at(Kind::EndOfFile) &&
      current().kind != Kind::RBrace) {
    reportTrailing();
    good = false;
  }
  brackets.clear();
  if (!good)
    skipStatement(begin);
}

template <typename Fn>
bool Parser::parseBraced(const std::string &after, SourceRange &range,
                         Fn statement) {
  SourceRange open = here();
  mark().opensBlock = at(Kind::LBrace);
  if (!expect(Kind::LBrace, after))
    return false;
  while (current().kind != Kind::RBrace) {
    bool isForeign =
        startsForeignDecl(pos) && !(allowDef && text(current()) == "def");
    if (current().kind == Kind::EndOfFile || isForeign)
      return reportUnclosed(open);
    parseLine(statement);
  }
  lineBegin = pos;
  mark().closesBlock = true;
  take();
  range = since(open);
  return true;
}

template <typename T> std::unique_ptr<T> Parser::makeLeaf() {
  auto node = std::make_unique<T>();
  node->range = here();
  return node;
}

template <typename T>
ExprPtr Parser::finish(std::unique_ptr<T> node, SourceRange begin) {
  node->range = since(begin);
  if (node->depth > kMaxDepth) {
    reportTooDeep(node->range);
    return nullptr;
  }
  return node;
}

template <typename T> std::unique_ptr<T> Parser::begin() {
  auto stmt = std::make_unique<T>();
  stmt->keyword = here();
  // Lines line up with their like.
  mark().group = static_cast<uint8_t>(stmt->kind) + 16;
  take();
  return stmt;
}

template <typename T> bool Parser::end(std::unique_ptr<T> stmt, Stmts &stmts) {
  stmt->range = since(stmt->keyword);
  stmts.push_back(std::move(stmt));
  return true;
}

} // namespace hocket::syntax

#endif // HOCKET_LIB_FRONTEND_PARSERLOOPS_H
