//===- Hook.h - nn.hook, a user's own function -----------------*- C++ -*-===//

#ifndef HOCKET_NN_HOOK_H
#define HOCKET_NN_HOOK_H

#include "dialects/Nn/Nn.h"

namespace hocket::nn {

/// Of an operation that is a collective of this kind: that `hook` is null, or
/// names a user's own function that does this kind, and its file.
mlir::LogicalResult verifyMoveHook(mlir::Operation *op,
                                   mlir::DictionaryAttr hook,
                                   llvm::StringRef kind);

} // namespace hocket::nn

#define GET_OP_CLASSES
#include "dialects/Nn/NnHook.h.inc"

#endif // HOCKET_NN_HOOK_H
