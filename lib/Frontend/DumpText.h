//===- DumpText.h - the parts of an AST dump ------------------------------===//

#ifndef HOCKET_LIB_FRONTEND_DUMPTEXT_H
#define HOCKET_LIB_FRONTEND_DUMPTEXT_H

#include "hocket/Frontend/Ast.h"

namespace hocket::syntax {

/// `(+ a 1)`; `_` for null.
std::string dumpExpr(const ExprPtr &expr);
/// ` a n=b`, with a space before each.
std::string dumpArguments(const std::vector<Argument> &args);
/// `(a:int b:dim=4)`
std::string dumpParameters(const std::vector<Parameter> &params);
/// The statements of a schedule, a line each, indented two more than `indent`.
void dumpScheduleBlock(const ScheduleBlock &block, const std::string &indent,
                       std::string &out);

} // namespace hocket::syntax

#endif // HOCKET_LIB_FRONTEND_DUMPTEXT_H
