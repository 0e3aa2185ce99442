//===- WeightNames.h - names in files of weights ----------------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_WEIGHTNAMES_H
#define HOCKET_FRONTEND_ELABORATE_WEIGHTNAMES_H

#include "hocket/Frontend/Ast.h"
#include "hocket/Frontend/AstModel.h"
#include "hocket/Frontend/Diagnostic.h"

namespace hocket::frontend {

/// `ignore` and `prefix` are about all names of a file, so that a model says
/// them and no module, and a prefix is a path and a dot. False: reported. Any
/// other item is good.
bool checkWeightNames(const syntax::Item &item, const syntax::ModuleDecl &decl,
                      syntax::DiagnosticEngine &diagnostics);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_WEIGHTNAMES_H
