//===- Print.h - AST nodes as text ----------------------------------------===//
//
// Canonical source text of small nodes, for messages, and a dump of whole files
// that shows the structure and nothing else, for tests.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_PRINT_H
#define HOCKET_FRONTEND_PRINT_H

#include "hocket/Frontend/Ast.h"

namespace hocket::syntax {

/// Source text with the parentheses that precedence needs. Reading it again
/// gives the same tree.
std::string toString(const Expr &expr);
std::string toString(const TensorType &type);
/// `tp`, `(dp, tp)`, `(r zigzag, u)`.
std::string toString(const AxisList &axes);

/// Every node of the file as nested lists, a statement a line: `(+ a (* b 2))`.
/// Two files with equal dumps mean the same; places do not show.
std::string dumpAst(const File &file);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_PRINT_H
