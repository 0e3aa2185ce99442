//===- Stages.h - the stages of a compilation, as one table -----*- C++ -*-===//
//
// What --emit, --from, --dump-stages and the documentation know about stages
// they read here. Each stage's IR can be printed, edited and resumed from.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PIPELINE_STAGES_H
#define HOCKET_PIPELINE_STAGES_H

#include "hocket/Placement/Place.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace hocket {

struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral holds; // one sentence: what is true from here on
  /// Makes the stage from the one before; null for the first.
  mlir::LogicalResult (*run)(mlir::ModuleOp module,
                             placement::PlacementReport *report);
};

/// model, placed, ..., kernels, buffers: the stages that are IR, in order.
llvm::ArrayRef<Stage> stages();

/// Whether the stage has a function for each class of ranks.
bool isOfClasses(llvm::StringRef stage);

/// Position in stages(), or -1.
int findStage(llvm::StringRef name);

/// The module as text: names of the model on values, locations at the end, and
/// a comment that says which stage it is. What `readStage` takes back.
std::string printStage(mlir::ModuleOp module, const Stage &stage);

} // namespace hocket

#endif // HOCKET_PIPELINE_STAGES_H
