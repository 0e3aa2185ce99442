//===- MicroBatch.h - marks of what a step does for a batch ----*- C++ -*-===//

#ifndef HOCKET_NN_MICROBATCH_H
#define HOCKET_NN_MICROBATCH_H

#include "llvm/ADT/StringRef.h"

namespace hocket::nn {

/// Which micro-batch of several an operation is for (i64). Kernels and combined
/// collectives are of one, or what is added as it comes would wait for the
/// last.
inline constexpr llvm::StringLiteral kMicroBatch = "nn.micro_batch";

/// On a dropout or an attention of a later micro-batch (i64): how many numbers
/// of its stream those before it drew in the same step.
inline constexpr llvm::StringLiteral kFirstDrawn = "nn.first_drawn";

} // namespace hocket::nn

#endif // HOCKET_NN_MICROBATCH_H
