//===- Parser.cpp - tokens, errors and brackets of the parser -------------===//

#include "ParserImpl.h"

#include <cassert>

using namespace hocket::syntax;

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
    error.suggest(text(current()),
                  {"override", "zigzag", "striped", "aligned", "sizes",
                   "weights", "op", "root", "reach", "using", "overlap",
                   "layers", "stage", "with", "at", "if"});
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
