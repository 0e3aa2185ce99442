//===- Parser.h - from text to AST ----------------------------------------===//
//
// Parses one file, or a single path pattern as the command line takes it.
// After an error the parser goes on at the next statement or declaration, so
// that one run reports every independent mistake. It never fails to return.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_PARSER_H
#define HOCKET_FRONTEND_PARSER_H

#include "hocket/Frontend/Ast.h"
#include "hocket/Frontend/Diagnostic.h"

namespace hocket::syntax {

/// The language version this parser reads: the number after `hocket`.
constexpr int64_t kLanguageVersion = 1;

/// Parses the whole of `file`. Errors go to `diagnostics`; the result then
/// holds the declarations that could be read.
File parseFile(const SourceManager &sources, FileId file,
               DiagnosticEngine &diagnostics);

/// Parses all of `file` as one path pattern (`hocket explain F h.3.attn`).
std::optional<PathPattern> parsePattern(const SourceManager &sources,
                                        FileId file,
                                        DiagnosticEngine &diagnostics);

/// Parses all of `file` as one expression (`-D layers=2` takes the value).
ExprPtr parseExpression(const SourceManager &sources, FileId file,
                        DiagnosticEngine &diagnostics);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_PARSER_H
