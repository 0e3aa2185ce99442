//===- Format.h - the canonical text of a file ----------------------------===//
//
// Formatting keeps every comment and every token; it changes only spaces,
// indentation, blank lines (at most one), and the line breaks around braces.
// Lines of one kind that follow each other are aligned in columns.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_FORMAT_H
#define HOCKET_FRONTEND_FORMAT_H

#include "hocket/Frontend/Diagnostic.h"

namespace hocket::syntax {

/// The canonical form of `file`, or nullopt when it does not parse (the errors
/// go to `diagnostics`). Idempotent: formatting the result changes nothing.
std::optional<std::string> formatFile(const SourceManager &sources, FileId file,
                                      DiagnosticEngine &diagnostics);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_FORMAT_H
