//===- Expect.h - counting collectives of a placed function ----*- C++ -*-===//
//
// `expect forward` is checked when placing. `expect bytes` and `expect memory`
// need the plan: they are left in `expectations` of nn.placement, an array of
// {what = "bytes" | "memory", comparison = "<", limit = 4.0e9 : f64,
//  line = loc("gpt2.hkt":90:3)}.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLACEMENT_EXPECT_H
#define HOCKET_PLACEMENT_EXPECT_H

#include "dialects/Nn/Func.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>
#include <vector>

namespace hocket::placement {

/// Collectives of a placed function at or under a path, by kind; "" is all.
/// Slices and masks send nothing and are left out. Those of the forward, or
/// those of the backward.
std::map<std::string, int64_t>
countCollectives(nn::FuncOp func, llvm::StringRef path, bool backward = false);

/// Compares what `expect backward` lines state, by path, with a differentiated
/// module; errors at the lines that fail.
mlir::LogicalResult checkBackward(mlir::ModuleOp module);

/// Reports lines `bucket gradients` over axes over which the backward of a
/// differentiated module reduces nothing.
mlir::LogicalResult checkGradientBuckets(mlir::ModuleOp module);

/// What moves the parts of a redistribution; empty where none are moved.
llvm::StringRef collectiveOf(nn::RedistributeKind kind);

/// The word for what moves margins by a strategy of halo lines, or back.
std::string haloWord(llvm::StringRef strategy, bool isBack);

/// In how many dims the windows of a placed operation reach what other ranks
/// own; 0 of what has no windows.
int64_t countHalos(mlir::Operation *op);

/// The all_reduces that a licensed op does inside (nn.statistics).
int64_t countStatistics(mlir::Operation *op);

} // namespace hocket::placement

#endif // HOCKET_PLACEMENT_EXPECT_H
