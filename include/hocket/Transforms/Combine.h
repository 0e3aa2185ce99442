//===- Combine.h - several collectives as one ------------------*- C++ -*-===//
//
// spmd -> spmd. Collectives of one kind over equal axes, with equal reduction
// and element type, of which none needs another's result, become one of several
// tensors, each cut in its own way: each collective costs a meeting of all
// ranks, whatever its size. These are small all_reduces, reduce_scatters and
// all_to_alls; all_to_alls of any size that feed one attention, or whose source
// is one attention's gradient, as of queries, keys and values; and what gathers
// the parameters, or scatters the gradients, of one match of an fsdp line.
// nn.placement states other sizes:
//
//   buckets = [{of = "gradients", axes = ["dp"], bytes = 26214400 : i64}]
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
