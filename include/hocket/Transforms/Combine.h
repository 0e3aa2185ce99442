//===- Combine.h - several all_reduces as one ------------------*- C++ -*-===//
//
// spmd -> spmd. Small all_reduces over equal axes, with equal reduction and
// element type, of which none needs another's result, become one collective of
// several tensors: each costs a meeting of all ranks, whatever its size. The
// module attribute nn.buckets makes larger ones of gradients:
//
//   nn.buckets = [{axes = ["dp"], bytes = 26214400 : i64}]
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRANSFORMS_COMBINE_H
#define HOCKET_TRANSFORMS_COMBINE_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// As many bytes as one collective gathers without a bucket for its axes.
constexpr int64_t kCombinedBytes = 64 << 10;

/// The ids of all collectives are given anew, in the new order.
mlir::LogicalResult combine(mlir::ModuleOp module);

/// Registers --hocket-combine.
void registerCombinePass();

} // namespace hocket

#endif // HOCKET_TRANSFORMS_COMBINE_H
