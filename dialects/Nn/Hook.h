//===- Hook.h - nn.hook, a user's own function -----------------*- C++ -*-===//

#ifndef HOCKET_NN_HOOK_H
#define HOCKET_NN_HOOK_H

#include "dialects/Nn/Nn.h"

namespace hocket::nn {

/// Of an operation that a user's own function may do instead of a collective:
/// that `hook` is null, or names the function and its file.
mlir::LogicalResult verifyMoveHook(mlir::Operation *op,
                                   mlir::DictionaryAttr hook);

} // namespace hocket::nn

#define GET_OP_CLASSES
#include "dialects/Nn/NnHook.h.inc"

#endif // HOCKET_NN_HOOK_H
