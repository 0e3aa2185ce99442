//===- PrintPath.h - what of a stage belongs to a model path ---*- C++ -*-===//
//
// To read, not to go on from: operations by themselves, each behind the lines
// of the model and of the schedule that it comes from.
//
//   // @forward
//   %h.0.attn = nn.value result "h.0.attn" ...  // model.hkt:33:9
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PIPELINE_PRINTPATH_H
#define HOCKET_PIPELINE_PRINTPATH_H

#include "hocket/Plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace hocket {

/// Nothing where nothing matches the pattern, a path pattern of the language;
/// then `why` says what there is.
std::optional<std::string> printPath(mlir::ModuleOp module,
                                     llvm::StringRef pattern, std::string &why);
/// The same of a plan: instructions as in its JSON, by rank class.
std::optional<std::string> printPath(const plan::Plan &plan,
                                     llvm::StringRef pattern, std::string &why);

} // namespace hocket

#endif // HOCKET_PIPELINE_PRINTPATH_H
