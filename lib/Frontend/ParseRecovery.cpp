//===- ParseRecovery.cpp - where reading goes on after an error -----------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

/// After so many errors in one file the rest would be noise.
static constexpr size_t kMaxErrors = 50;

static bool isDeclWord(std::string_view word) {
  return word == "module" || word == "model" || word == "variant" ||
         word == "train" || word == "schedule" || word == "def" ||
         word == "import";
}

/// True at a declaration that begins in the first column although a block is
/// still open: the block's closing brace is missing.
bool Parser::startsForeignDecl(size_t i) const {
  const Token &token = lexed.tokens[i];
  if (!token.newlineBefore || token.kind != Kind::Identifier ||
      !isDeclWord(text(token)) || getColumn(token) != 1)
    return false;
  const Token &next = lexed.tokens[i + 1];
  return !next.newlineBefore &&
         (next.kind == Kind::Identifier || next.kind == Kind::String);
}

bool Parser::reportUnclosed(SourceRange open) {
  // One error, not one for each block around.
  if (unclosedAt == pos)
    return false;
  unclosedAt = pos;
  bool atEnd = current().kind == Kind::EndOfFile;
  SourceRange range = current().range;
  if (atEnd && pos > 0) {
    range = lastRange();
    range.begin = range.end;
  }
  engine
      .error(range,
             std::string("expected '}' before ") +
                 (atEnd ? "the end of the file" : "the next declaration"))
      .note(open, "to close this '{'");
  return false;
}

/// Skips the rest of a statement that began at token `begin`: to the first line
/// that belongs to no bracket of it, or is not indented more than it; or to the
/// brace that closes the block around it.
void Parser::skipStatement(size_t begin) {
  unsigned column = getColumn(lexed.tokens[begin]);
  int open = 0, braces = 0;
  for (size_t i = begin; current().kind != Kind::EndOfFile; ++i) {
    const Token &token = lexed.tokens[i];
    // What was taken for a part of the statement may be the next declaration.
    if (i > begin && startsForeignDecl(i)) {
      pos = i;
      break;
    }
    if (i >= pos) {
      pos = i;
      if (token.kind == Kind::EndOfFile ||
          (token.kind == Kind::RBrace && braces == 0))
        break;
      if (token.newlineBefore && i > begin && braces == 0 &&
          (open <= 0 || getColumn(token) <= column))
        break;
    }
    if (token.kind == Kind::LParen || token.kind == Kind::LBracket)
      ++open;
    else if (token.kind == Kind::RParen || token.kind == Kind::RBracket)
      --open;
    else if (token.kind == Kind::LBrace)
      ++braces;
    else if (token.kind == Kind::RBrace && braces > 0)
      --braces;
  }
  lineBegin = pos;
  stopIfTooManyErrors();
}

/// Skips to the `,` or the `close` behind the list's item that began at token
/// `begin`; false when something comes first that the list cannot hold.
bool Parser::skipListItem(size_t begin, TokenKind close) {
  unsigned open = 0;
  for (size_t i = begin;; ++i) {
    Kind kind = lexed.tokens[i].kind;
    bool closes = kind == Kind::RParen || kind == Kind::RBracket;
    bool ends = open == 0 && (kind == close || kind == Kind::Comma);
    if (ends && i >= pos) {
      pos = i;
      return true;
    }
    if (kind == Kind::EndOfFile || kind == Kind::LBrace ||
        kind == Kind::RBrace || startsForeignDecl(i) ||
        (closes && open == 0 && !ends))
      return false;
    if (kind == Kind::LParen || kind == Kind::LBracket)
      ++open;
    else if (closes && open > 0)
      --open;
  }
}

/// Skips to the next declaration at the start of a line.
void Parser::skipToDecl() {
  brackets.clear();
  while (current().kind != Kind::EndOfFile && !startsForeignDecl(pos))
    ++pos;
  lineBegin = pos;
}

bool Parser::stopIfTooManyErrors() {
  if (engine.getNumErrors() - firstError < kMaxErrors)
    return false;
  if (current().kind != Kind::EndOfFile)
    engine.error(current().range,
                 "too many errors; the rest of the file is not read");
  pos = lexed.tokens.size() - 1;
  unclosedAt = pos;
  return true;
}
