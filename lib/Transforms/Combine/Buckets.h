//===- Buckets.h - which collectives become one ----------------*- C++ -*-===//
//
// Collectives are met in program order. A reduction joins an open bucket of its
// kind, and waits there: the bucket runs where its last member stands. So it is
// closed before the first collective that needs one of its results, in any rank
// class: all classes must combine alike, or ranks would wait for each other in
// different collectives. A gather of a stored parameter needs nothing, and its
// bucket runs where its first member stands; so do the all_to_alls of gradients
// that one attention's gradient makes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_COMBINE_BUCKETS_H
#define HOCKET_LIB_TRANSFORMS_COMBINE_BUCKETS_H

#include "dialects/Spmd/Func.h"
#include "dialects/Spmd/Spmd.h"
#include "llvm/ADT/BitVector.h"
#include <vector>

namespace hocket::combining {

/// The collectives of one class function, in program order.
std::vector<spmd::CollectiveOp> collectivesOf(spmd::FuncOp func);

/// For each collective of `func`, those whose results it needs.
std::vector<llvm::BitVector>
neededBy(spmd::FuncOp func, llvm::ArrayRef<spmd::CollectiveOp> collectives);

/// For each collective of `func`, the attention that reads what it moves, in
/// the backward the gradient of attention that makes it; null where there is
/// none, or another collective lies between.
std::vector<mlir::Operation *> attentionsOf(spmd::FuncOp func);

enum class Kind {
  Other,
  Reduce,  // all_reduce
  Scatter, // reduce_scatter of a gradient
  Fetch,   // all_gather of a stored parameter
  Publish, // all_gather of a parameter that has been updated
  Turn,    // all_to_all
  Return,  // all_to_all of a gradient
};

/// Whether what is combined stands where the first stood, and not the last.
inline bool standsEarly(Kind kind) {
  return kind == Kind::Fetch || kind == Kind::Return;
}

/// Only equal ones become one.
struct Key {
  Kind kind = Kind::Other;
  mlir::ArrayAttr axes;
  mlir::Type element;
  nn::Reduction reduction = nn::Reduction::Sum;
  bool ofBackward = false; // for which the forward does not wait
  mlir::Attribute microBatch;

  bool operator==(const Key &other) const {
    return kind == other.kind && axes == other.axes &&
           element == other.element && reduction == other.reduction &&
           ofBackward == other.ofBackward && microBatch == other.microBatch;
  }
};

Key keyOf(spmd::CollectiveOp op);

/// What an all_gather reads is a parameter, or made of one alone.
bool isStored(mlir::Value value);

/// Positions of collectives that become one, two or more each.
using Bucket = std::vector<size_t>;

class Planner {
public:
  /// `classes`: the collectives of each class, equal in number, and the
  /// `attentions` of these (attentionsOf).
  Planner(llvm::ArrayRef<std::vector<spmd::CollectiveOp>> classes,
          std::vector<std::vector<mlir::Operation *>> attentions,
          std::vector<llvm::BitVector> needed, mlir::ArrayAttr limits)
      : classes(classes), attentions(std::move(attentions)),
        needed(std::move(needed)), limits(limits) {}

  std::vector<Bucket> plan();

private:
  bool fits(const Bucket &bucket, size_t next) const;
  bool fitsSize(const Bucket &bucket, size_t next) const;
  /// Whether one attention reads what both move, or its gradient makes it.
  bool shareAttention(size_t first, size_t next) const;
  /// Whether `next` needs no collective from `first` on.
  bool canStandAt(size_t first, size_t next) const;
  /// Whether `next` needs a result of the bucket.
  bool isNeeded(const Bucket &bucket, size_t next) const;
  /// Of the whole tensor, at the class that has most of it.
  int64_t mostBytesOf(size_t index) const;
  /// What a bucket line says of this kind over these axes.
  std::optional<int64_t> limitOf(const Key &key) const;
  void close(size_t next);
  void closeFull(size_t next);

  llvm::ArrayRef<std::vector<spmd::CollectiveOp>> classes;
  std::vector<std::vector<mlir::Operation *>> attentions;
  std::vector<llvm::BitVector> needed;
  mlir::ArrayAttr limits;
  std::vector<Key> keys; // in the first class
  std::vector<int64_t> bytesOf;
  std::vector<Bucket> open, closed;
};

} // namespace hocket::combining

#endif // HOCKET_LIB_TRANSFORMS_COMBINE_BUCKETS_H
