//===- Elaborate.h - from AST to the model stage ---------------*- C++ -*-===//
//
// Evaluates everything static (parameters, lets, member constructors, loops),
// inlines every module call and emits one flat function of nn operations, with
// the schedule's directives beside it as sched operations.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_H
#define HOCKET_FRONTEND_ELABORATE_H

#include "hocket/Frontend/Loader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace hocket::frontend {

/// `-D model.layers=2`: `target` is "model", "variant", "schedule", "train" or
/// empty (whichever has a parameter of that name; two are an error).
struct Define {
  std::string target, name, value;
};

struct ElaborateOptions {
  std::string model;    // empty: the only one visible, or the schedule's
  std::string schedule; // empty: one device
  std::string variant;  // empty: the schedule's, or none
  /// "forward", or "loss": its inputs and its one number, which may call
  /// forward.
  std::string function = "forward";
  /// A recipe: the function is its loss, training is on, and nn.model
  /// gets `train` and `gradients`.
  std::string train;
  /// Dropout is live: the function takes one more input, `step`, last.
  bool training = false;
  std::vector<Define> defines;
  /// Of an array of modules, so many: layers that are alike are placed alike.
  int64_t mostElements = INT64_MAX;
};

/// Splits "model.layers=2". False when there is no '=' or a part is empty.
bool parseDefine(const std::string &text, Define &define);

/// The module of the model stage. Null after errors, which went to
/// `diagnostics` (names, types, static values) or to the context's diagnostic
/// handler (shapes of operations).
mlir::OwningOpRef<mlir::ModuleOp>
elaborate(const syntax::Program &program, const syntax::SourceManager &sources,
          syntax::DiagnosticEngine &diagnostics, mlir::MLIRContext *context,
          const ElaborateOptions &options);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_H
