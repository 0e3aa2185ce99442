//===- Buckets.h - which collectives become one --------------------*- C++
//-*-===//
//
// Collectives are met in program order. An all_reduce joins an open bucket of
// its kind, and waits there: the bucket runs where its last member stands. So
// a bucket is closed before the first collective that needs one of its results,
// in any rank class: all classes must combine alike, or ranks would wait for
// each other in different collectives.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_COMBINE_BUCKETS_H
#define HOCKET_LIB_TRANSFORMS_COMBINE_BUCKETS_H

#include "dialects/Spmd/Spmd.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include <vector>

namespace hocket::combining {

/// The collectives of one class function, in program order.
std::vector<spmd::CollectiveOp> collectivesOf(mlir::func::FuncOp func);

/// For each collective of `func`, those whose results it needs.
std::vector<llvm::BitVector>
neededBy(mlir::func::FuncOp func,
         llvm::ArrayRef<spmd::CollectiveOp> collectives);

/// Positions of collectives that become one, two or more each.
using Bucket = std::vector<size_t>;

class Planner {
public:
  /// `classes`: the collectives of each class, equal in number.
  Planner(llvm::ArrayRef<std::vector<spmd::CollectiveOp>> classes,
          std::vector<llvm::BitVector> needed, mlir::ArrayAttr limits)
      : classes(classes), needed(std::move(needed)), limits(limits) {}

  std::vector<Bucket> plan();

private:
  bool fits(const Bucket &bucket, size_t next) const;
  /// At the class that has most of it.
  int64_t bytesOf(size_t index) const;
  int64_t limitOf(mlir::ArrayAttr axes) const;
  void close(size_t next);

  llvm::ArrayRef<std::vector<spmd::CollectiveOp>> classes;
  std::vector<llvm::BitVector> needed;
  mlir::ArrayAttr limits;
  std::vector<Bucket> open, closed;
};

} // namespace hocket::combining

#endif // HOCKET_LIB_TRANSFORMS_COMBINE_BUCKETS_H
