//===- Parser.cpp - tokens, errors and recovery of the parser -------------===//

#include "ParserImpl.h"

#include <cassert>

using namespace hocket::syntax;

/// After so many errors in one file the rest would be noise.
static constexpr size_t kMaxErrors = 50;

Parser::Parser(const SourceManager &sources, FileId file,
               DiagnosticEngine &engine)
    : sources(sources), engine(engine), fileId(file),
      firstError(engine.getNumErrors()), lexed(lexFile(sources, file, engine)),
      marks(lexed.tokens.size()) {
  this->file.id = file;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

TokenKind Parser::peek() const {
  const Token &token = current();
  if (token.newlineBefore && brackets.empty() && pos != lineBegin &&
      token.kind != Kind::EndOfFile)
    return Kind::EndOfLine;
  return token.kind;
}

bool Parser::atWord(std::string_view word) const {
  return at(Kind::Identifier) && text(current()) == word;
}

TokenKind Parser::peekSecond() const {
  if (at(Kind::EndOfLine) || at(Kind::EndOfFile))
    return Kind::EndOfLine;
  const Token &second = lexed.tokens[pos + 1];
  if (second.newlineBefore && brackets.empty())
    return Kind::EndOfLine;
  return second.kind;
}

const Token &Parser::take() {
  assert(!at(Kind::EndOfLine) && !at(Kind::EndOfFile) && "nothing to take");
  return lexed.tokens[pos++];
}

bool Parser::takeIf(TokenKind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

bool Parser::takeWord(std::string_view word) {
  if (!atWord(word))
    return false;
  take();
  return true;
}

std::string_view Parser::text(const Token &token) const {
  return sources.getText(token.range);
}

SourceRange Parser::lastRange() const {
  return lexed.tokens[pos ? pos - 1 : 0].range;
}

std::string Parser::lastText() const {
  SourceRange range = lastRange();
  if (lastPattern.isValid() && lastPattern.end == range.end &&
      lastPattern.size() <= 60)
    range = lastPattern;
  return "'" + std::string(sources.getText(range)) + "'";
}

unsigned Parser::getColumn(const Token &token) const {
  return sources.getLineColumn(token.range).column;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

SourceRange Parser::here() const {
  TokenKind kind = peek();
  if (pos == 0 || (kind != Kind::EndOfLine && kind != Kind::EndOfFile))
    return current().range;
  SourceRange range = lastRange();
  range.begin = range.end;
  return range;
}

std::string Parser::found() const {
  TokenKind kind = peek();
  if (kind == Kind::EndOfLine || kind == Kind::EndOfFile)
    return describe(kind);
  std::string spelling(text(current()));
  if (kind == Kind::String || spelling.size() > 40)
    return kind == Kind::String ? describe(kind) : "this";
  return "'" + spelling + "'";
}

Diagnostic &Parser::expected(const std::string &what) {
  // The lexer has said what is wrong with an invalid token.
  if (at(Kind::Invalid))
    return ignored = Diagnostic();
  return engine.error(here(), "expected " + what + ", found " + found());
}

bool Parser::expect(TokenKind kind, const std::string &after) {
  if (takeIf(kind))
    return true;
  expected(std::string(describe(kind)) + " after " + after);
  return false;
}

bool Parser::expectWord(const char *word, const std::string &after) {
  if (takeWord(word))
    return true;
  Diagnostic &error = expected("'" + std::string(word) + "' after " + after);
  if (at(Kind::Identifier))
    error.suggest(text(current()), {word});
  return false;
}

std::optional<Name> Parser::expectName(const std::string &what) {
  if (!at(Kind::Identifier)) {
    expected(what);
    return std::nullopt;
  }
  const Token &token = take();
  return Name{std::string(text(token)), token.range};
}

std::optional<Name> Parser::expectBinding(const std::string &what) {
  auto name = expectName(what);
  if (!name)
    return std::nullopt;
  for (const char *word :
       {"true", "false", "none", "not", "and", "or", "if", "else"})
    if (name->text == word) {
      engine.error(name->range, "'" + name->text +
                                    "' is a word of expressions and cannot "
                                    "name anything");
      return std::nullopt;
    }
  return name;
}

bool Parser::isNew(NameMap &seen, const Name &name, const std::string &twice) {
  auto [first, isNew] = seen.insert({name.text, name.range});
  if (!isNew)
    engine.error(name.range, twice).note(first->second, "here first");
  return isNew;
}

bool Parser::reportTooDeep(SourceRange range) {
  if (!tooDeep) {
    if (range.size() > 1)
      range.end = range.begin + 1;
    engine.error(range, "the text is nested more than " +
                            std::to_string(kMaxDepth) + " levels deep here");
  }
  tooDeep = true;
  return false;
}

Parser::DepthScope::DepthScope(Parser &parser) : parser(parser) {
  isGood = ++parser.depth <= kMaxDepth || parser.reportTooDeep(parser.here());
}

//===----------------------------------------------------------------------===//
// Brackets
//===----------------------------------------------------------------------===//

bool Parser::openBracket(TokenKind kind, const std::string &after) {
  if (!expect(kind, after))
    return false;
  brackets.push_back(lastRange());
  return true;
}

bool Parser::closeBracket(TokenKind kind, const std::string &after) {
  if (!expect(kind, after))
    return false;
  brackets.pop_back();
  return true;
}

bool Parser::reportListEnd(TokenKind close, const std::string &what) {
  Diagnostic &error =
      expected("',' or " + std::string(describe(close)) + " after " + what);
  if (current().newlineBefore)
    error.note(brackets.back(), "this is still open");
  return false;
}

/// Something follows a statement on its line: perhaps a misspelt clause.
void Parser::reportTrailing() {
  Diagnostic &error = expected("the end of the line");
  if (at(Kind::Identifier))
    error.suggest(text(current()), {"override", "zigzag", "striped", "aligned",
                                    "sizes", "weights", "op", "root", "reach",
                                    "stage", "with", "chunks", "at", "if"});
}

//===----------------------------------------------------------------------===//
// Recovery
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

MarkedFile Parser::takeFile() {
  parseHeader();
  parseTop();
  engine.sortByPlace(firstError);
  return {std::move(lexed), std::move(marks), std::move(file)};
}

std::optional<PathPattern> Parser::takePattern() {
  PathPattern pattern;
  if (!parsePattern(pattern, "nothing"))
    return std::nullopt;
  if (!at(Kind::EndOfFile)) {
    expected("the end of the path");
    return std::nullopt;
  }
  return pattern;
}

ExprPtr Parser::takeExpression() {
  ExprPtr value = parseExpr();
  if (value && !at(Kind::EndOfFile)) {
    expected("the end of the value");
    return nullptr;
  }
  return value;
}

MarkedFile hocket::syntax::parseMarked(const SourceManager &sources,
                                       FileId file,
                                       DiagnosticEngine &diagnostics) {
  return Parser(sources, file, diagnostics).takeFile();
}

File hocket::syntax::parseFile(const SourceManager &sources, FileId file,
                               DiagnosticEngine &diagnostics) {
  return std::move(parseMarked(sources, file, diagnostics).ast);
}

std::optional<PathPattern>
hocket::syntax::parsePattern(const SourceManager &sources, FileId file,
                             DiagnosticEngine &diagnostics) {
  size_t before = diagnostics.getNumErrors();
  auto pattern = Parser(sources, file, diagnostics).takePattern();
  if (diagnostics.getNumErrors() != before)
    return std::nullopt;
  return pattern;
}

ExprPtr hocket::syntax::parseExpression(const SourceManager &sources,
                                        FileId file,
                                        DiagnosticEngine &diagnostics) {
  size_t before = diagnostics.getNumErrors();
  ExprPtr value = Parser(sources, file, diagnostics).takeExpression();
  return diagnostics.getNumErrors() == before ? std::move(value) : nullptr;
}
