//===- AttentionParts.h - what of an attention a rank has ------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_ATTENTIONPARTS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_ATTENTIONPARTS_H

#include "Positions.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket::partitioning {

/// Which heads, queries and keys a rank has: the attributes of spmd.attention,
/// spmd.neighborhood_attention and their gradients. `op` is placed, `local` the
/// operation on local tensors.
class AttentionParts : public Positions {
public:
  using Positions::Positions;

  template <class OpTy>
  mlir::FailureOr<mlir::NamedAttrList> attentionParts(OpTy op, OpTy local);
  template <class OpTy>
  mlir::FailureOr<mlir::NamedAttrList> neighborhoodParts(OpTy op, OpTy local);

private:
  template <class OpTy>
  void addDraws(OpTy op, OpTy local, mlir::NamedAttrList &parts);
  mlir::FailureOr<mlir::NamedAttrList>
  headParts(mlir::Operation &op, mlir::Value q, mlir::Value k, bool byNumber);
  mlir::LogicalResult checkHeads(mlir::Operation &op, mlir::Value q,
                                 mlir::Value k, int64_t group,
                                 spmd::TableAttr head, spmd::TableAttr kvHead);

  /// Pairs of head offsets that have been found to fit.
  llvm::DenseSet<std::pair<mlir::Attribute, mlir::Attribute>> checkedHeads;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_ATTENTIONPARTS_H
