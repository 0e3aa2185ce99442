//===- Lexer.h - from text to tokens --------------------------------------===//
//
// Splits a whole file at once. Bad characters, numbers and strings are
// reported and become Invalid tokens, so that every byte of the file belongs
// to a token, a comment or white space.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_LEXER_H
#define HOCKET_FRONTEND_LEXER_H

#include "hocket/Frontend/Diagnostic.h"
#include "hocket/Frontend/Token.h"

namespace hocket::syntax {

struct LexedFile {
  /// Ends with one EndOfFile token.
  std::vector<Token> tokens;
  std::vector<Comment> comments;
};

LexedFile lexFile(const SourceManager &sources, FileId file,
                  DiagnosticEngine &diagnostics);

/// The value of a String token's text, quotes included. Only for tokens the
/// lexer accepted.
std::string decodeString(std::string_view spelling);

/// True when `text` can be written as an identifier.
bool isIdentifier(std::string_view text);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_LEXER_H
