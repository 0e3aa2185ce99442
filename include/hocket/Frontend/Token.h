//===- Token.h - tokens and comments of a file ----------------------------===//
//
// Every word is an Identifier: keywords are contextual. Newlines are not
// tokens; a token knows whether it is the first on its line.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_TOKEN_H
#define HOCKET_FRONTEND_TOKEN_H

#include "hocket/Frontend/Source.h"

namespace hocket::syntax {

enum class TokenKind : uint8_t {
  EndOfFile,
  /// Never in a token list: what a parser sees where a statement's line ends.
  EndOfLine,
  Identifier,
  Integer, ///< digits
  Float,   ///< digits '.' digits [exponent], or digits exponent
  String,  ///< with its quotes
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Colon,
  Dot,
  DotDot,
  Arrow,
  Assign,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Plus,
  Minus,
  Star,
  StarStar,
  Slash,
  SlashSlash,
  Percent,
  /// Text that is no token; the lexer has reported it.
  Invalid,
};

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  bool newlineBefore = false; ///< first on its line (the first token is too)
  bool spaceBefore = false;   ///< white space, a comment or a newline before it
  SourceRange range;
};

/// `# ...`, without its line end and trailing white space.
struct Comment {
  SourceRange range;
  /// Nothing but white space before it on its line.
  bool ownLine = false;
  /// Index of the first token after it.
  uint32_t nextToken = 0;
};

/// How the token is named in an error: `','`, `an identifier`.
const char *describe(TokenKind kind);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_TOKEN_H
