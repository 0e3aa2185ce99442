//===- RunByRun.h - operations on positions in runs -------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_RUNBYRUN_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_RUNBYRUN_H

#include "Shares.h"
#include "dialects/Spmd/Func.h"

namespace hocket::partitioning {

/// Makes one operation for each run of positions of what takes one run: rotary
/// embeddings, and attention where it counts where queries are, under a causal
/// mask or where weights are dropped. `coordinates` are those of a rank of the
/// function's class.
void computeRunByRun(spmd::FuncOp func, Shares &shares,
                     llvm::ArrayRef<int64_t> coordinates);

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_RUNBYRUN_H
