//===- PathMatch.h - does a pattern match one path? -------------*- C++ -*-===//
//
// For a variant's changes, whose patterns are absolute and have literal
// indices. Schedules are matched after elaboration, by lib/Placement.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_PATHMATCH_H
#define HOCKET_FRONTEND_ELABORATE_PATHMATCH_H

#include "hocket/Frontend/AstExpr.h"

namespace hocket::frontend {

/// True when `pattern` matches all of the dotted `path`.
bool matchesPath(const syntax::PathPattern &pattern, const std::string &path);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_PATHMATCH_H
