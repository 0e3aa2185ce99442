//===- CallArguments.h - arguments of a call, paths of members -*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_CALLARGUMENTS_H
#define HOCKET_FRONTEND_ELABORATE_CALLARGUMENTS_H

#include "hocket/Frontend/Ast.h"
#include "llvm/ADT/StringRef.h"
#include <map>

namespace hocket::frontend {

/// The arguments of a built-in call, matched to parameter names.
struct CallArguments {
  const syntax::CallExpr *call = nullptr;
  std::map<std::string, const syntax::Expr *> byName;

  const syntax::Expr *get(const std::string &name) const {
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
  }
};

/// "h.0.attn" and "q": "h.0.attn.q". The model's own path is empty.
inline std::string joinPath(const std::string &path, const std::string &name) {
  return path.empty() ? name : path + "." + name;
}

/// Of the results of a model's forward: "output", or "output0", "output1".
inline std::string outputName(size_t index, size_t count) {
  return count == 1 ? "output" : "output" + std::to_string(index);
}

/// Null if the module has no function of that name.
const syntax::FunctionItem *findFunction(const syntax::ModuleDecl &decl,
                                         llvm::StringRef name);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_CALLARGUMENTS_H
