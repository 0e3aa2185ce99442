//===- Groups.h - which operations share a kernel ---------------*- C++ -*-===//
//
// Operations are met in program order; each joins the groups of its producers
// where that is possible. A group runs where its last member stands, so an
// operation may join only if nothing before it, outside of the group, reads the
// group's values:
//
//   a = add x, y        group 1
//   m = matmul a, w     reads a, outside
//   b = mul a, 2        cannot join group 1: m would then come before a
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_FUSE_GROUPS_H
#define HOCKET_LIB_TRANSFORMS_FUSE_GROUPS_H

#include "Probes.h"
#include "hocket/Transforms/Epilogues.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

using Group = llvm::SmallVector<mlir::Operation *>; // in program order

class Groups {
public:
  Groups(mlir::Block &body, const llvm::DenseSet<mlir::Value> &loadTime,
         const Epilogues &epilogues);

  /// The groups, in the order of their last members.
  std::vector<Group> take();

private:
  void place(mlir::Operation *op);
  /// The group with `op` added, or an empty one if it cannot be.
  Group joined(const llvm::SmallVectorImpl<int> &producers,
               mlir::Operation *op);
  bool costsThreads(const llvm::SmallVectorImpl<int> &producers,
                    mlir::Operation *op, int64_t extent);
  bool holdsMemory(const Group &group, mlir::Operation *op) const;
  /// Whether anything except `members` reads a value's memory from `op` on.
  bool
  isReadFrom(mlir::Value value, mlir::Operation *op,
             const llvm::SmallPtrSetImpl<mlir::Operation *> &members) const;
  bool isFreeBefore(const Group &group, mlir::Operation *op) const;

  const llvm::DenseSet<mlir::Value> &loadTime;
  const Epilogues &epilogues;
  Probes probes;
  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, int> groupOf;
  /// Products, collectives and the like that run before an operation.
  llvm::DenseMap<mlir::Operation *, int> othersBefore;
};

/// Whether an op is copied into each kernel that reads it (a constant).
bool isCopiedIntoKernels(mlir::Operation *op);

/// A kernel body that holds copies of `group`: what it reads from outside
/// becomes arguments (returned in `inputs`), what is read outside is yielded
/// (`outputs`). Constants are copied in.
void buildBody(const Group &group, mlir::Block &body,
               llvm::SmallVectorImpl<mlir::Value> &inputs,
               llvm::SmallVectorImpl<mlir::Value> &outputs);

} // namespace hocket

#endif // HOCKET_LIB_TRANSFORMS_FUSE_GROUPS_H
