//===- ElaboratorState.h - what the elaborator knows on its way -*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_ELABORATORSTATE_H
#define HOCKET_FRONTEND_ELABORATE_ELABORATORSTATE_H

#include "Datum.h"
#include "hocket/Frontend/Diagnostic.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace hocket::frontend {

struct ElaboratorState {
  ElaboratorState(const syntax::SourceManager &sources,
                  syntax::DiagnosticEngine &diagnostics,
                  mlir::MLIRContext *context,
                  const std::vector<const syntax::ModuleDecl *> &modules)
      : sources(sources), diagnostics(diagnostics), context(context),
        builder(context), modules(modules) {}

  const syntax::SourceManager &sources;
  syntax::DiagnosticEngine &diagnostics;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  std::vector<const syntax::ModuleDecl *> modules;
  const syntax::VariantDecl *variant = nullptr;
  const Scope *variantScope = nullptr;
  std::vector<size_t> variantHits;       // matches of each change
  llvm::StringMap<mlir::Value> inputs;   // of the function, by name
  mlir::Block *parameterBlock = nullptr; // parameters are emitted at its top
  mlir::Operation *lastParameter = nullptr;
  std::string currentPath;
  syntax::SourceRange callRange; // of the loss or norm that is being written
  unsigned callDepth = 0, expansions = 0; // of calls; see countExpansion
  bool hadShapeError = false, isTraining = false;
  int64_t mostElements = INT64_MAX;
  mlir::Value step;                               // the input, if training
  llvm::StringMap<unsigned> draws;                // calls so far, by path
  std::map<std::string, mlir::Value> nextBuffers; // after a step, by path
  std::vector<std::string> unread;                // names in a file of weights
};

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_ELABORATORSTATE_H
