//===- Pinned.h - operations that are to be one kernel ---------*- C++ -*-===//

#ifndef HOCKET_NN_PINNED_H
#define HOCKET_NN_PINNED_H

#include "llvm/ADT/StringRef.h"

namespace hocket::nn {

/// On operations that a fuse line names, a list of
///   {number = 0 : i64, line = loc(...)}
/// Those of one number are to be one kernel.
inline constexpr llvm::StringLiteral kPinned = "nn.pinned";

} // namespace hocket::nn

#endif // HOCKET_NN_PINNED_H
