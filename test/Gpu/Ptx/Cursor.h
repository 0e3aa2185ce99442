//===- Cursor.h - a place in the tokens of a PTX text ----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_CURSOR_H
#define HOCKET_TEST_GPU_PTX_CURSOR_H

#include "test/Gpu/Ptx/Tokens.h"

namespace hocket::ptx {

/// Reads tokens one after the other; what is not as expected is refused.
class Cursor {
public:
  Cursor(const std::string &text, const std::string &file)
      : file(file), tokens(tokensOf(text, file)) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  Token take() {
    Token token = peek();
    ++at;
    return token;
  }
  bool is(const std::string &text) const {
    return peek().kind != Token::String && peek().text == text;
  }
  bool takeIf(const std::string &text) {
    bool found = is(text);
    at += found;
    return found;
  }
  void expect(const std::string &text) {
    if (!takeIf(text))
      refuseHere("expected '" + text + "', found '" + peek().text + "'");
  }
  std::string word(const char *what) {
    if (peek().kind != Token::Word)
      refuseHere(std::string("expected ") + what + ", found '" + peek().text +
                 "'");
    return take().text;
  }
  uint64_t number(const char *what) {
    if (peek().kind != Token::Number)
      refuseHere(std::string("expected ") + what + ", found '" + peek().text +
                 "'");
    return take().bits;
  }
  bool isWord() const { return peek().kind == Token::Word; }
  bool atEnd() const { return peek().kind == Token::End; }

  /// Directives such as .loc and .file end with their line.
  void skipLine() {
    for (unsigned line = peek().line; !atEnd() && peek().line == line;)
      ++at;
  }
  [[noreturn]] void refuseHere(const std::string &text) const {
    refuse(file, peek().line, text);
  }

  const std::string file;

private:
  std::vector<Token> tokens;
  size_t at = 0;
};

/// .param .u64 .ptr .align 16 name[8] = {1, 2}; the space has been read.
Variable parseVariable(Cursor &cursor, const std::string &space);

/// What stands between the braces of a function.
void parseBody(Cursor &cursor, Function &function);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_CURSOR_H
