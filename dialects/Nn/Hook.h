//===- Hook.h - nn.hook, a user's own function -----------------*- C++ -*-===//

#ifndef HOCKET_NN_HOOK_H
#define HOCKET_NN_HOOK_H

#include "dialects/Nn/Nn.h"

namespace hocket::nn {

/// On an nn.redistribute and the collective that it becomes: the declaration of
/// the user's own function that does it.
inline constexpr llvm::StringLiteral kHook = "nn.hook";

} // namespace hocket::nn

#define GET_OP_CLASSES
#include "dialects/Nn/NnHook.h.inc"

#endif // HOCKET_NN_HOOK_H
