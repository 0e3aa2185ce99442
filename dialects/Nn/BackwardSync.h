//===- BackwardSync.h - where a schedule reduces a gradient ----*- C++ -*-===//
//
// A gradient that is a partial sum is reduced where its value is defined. A
// `sync ... bwd_post|bwd_pre` line says another place, a value under a name:
//
//   nn.value ... {nn.backward_syncs = [{kind = "all_reduce", axes = ["tp"],
//                 point = "bwd_post", line = loc(...)}]}
//
// with `dim` and `factor` of a reduce_scatter. What a module computes whose
// arguments' gradients are reduced so has `nn.delayed = ["tp"]`: its gradients
// stay partial sums over those axes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_BACKWARDSYNC_H
#define HOCKET_NN_BACKWARDSYNC_H

#include "llvm/ADT/StringRef.h"

namespace hocket::nn {

inline constexpr llvm::StringLiteral kBackwardSyncs = "nn.backward_syncs";
inline constexpr llvm::StringLiteral kDelayed = "nn.delayed";

} // namespace hocket::nn

#endif // HOCKET_NN_BACKWARDSYNC_H
