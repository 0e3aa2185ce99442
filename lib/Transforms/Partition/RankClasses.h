//===- RankClasses.h - which ranks have the same local shapes --*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_RANKCLASSES_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_RANKCLASSES_H

#include "Shares.h"
#include "dialects/Nn/Func.h"
#include <vector>

namespace hocket::partitioning {

struct RankClass {
  llvm::SmallVector<int64_t> ranks;       // ascending
  llvm::SmallVector<int64_t> coordinates; // of the first of them
};

/// Groups the ranks by the sizes that they have of every factor that the
/// function splits; classes are ordered by their first rank. An error where
/// stated sizes are not one for each part.
mlir::FailureOr<std::vector<RankClass>> findRankClasses(nn::FuncOp func,
                                                        Shares &shares);

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_RANKCLASSES_H
