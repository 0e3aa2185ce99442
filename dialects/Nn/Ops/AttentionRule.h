//===- AttentionRule.h - what attention and its gradient share -*- C++ -*-===//

#ifndef HOCKET_NN_OPS_ATTENTIONRULE_H
#define HOCKET_NN_OPS_ATTENTIONRULE_H

#include "dialects/Nn/Ops/RuleBuilder.h"

namespace hocket::nn {

/// Query heads and kv heads. q's heads are the kv heads times a group. Where
/// q's factors have the border between the two, those inside may be split by
/// themselves. Else those inside are left out, and the kv heads stand for all.
void addHeads(RuleBuilder &rule, llvm::ArrayRef<DimOf> queries,
              llvm::ArrayRef<DimOf> keys);

/// What of a mask is data: which keys may be attended to, and the documents of
/// queries and keys; null where the operation has none.
struct MaskData {
  mlir::Value keep, queryDocuments, keyDocuments;

  template <class OpOrAdaptor> static MaskData of(OpOrAdaptor op) {
    return {op.getKeep(), op.getQueryDocuments(), op.getKeyDocuments()};
  }
};

/// (C11) of nn.attention: a bias, which may be null, fits `q` and `keys` keys.
mlir::LogicalResult checkBias(std::optional<mlir::Location> location,
                              mlir::Value q, mlir::Value bias, int64_t keys);

/// (C5) of nn.attention_grad; either may be null.
mlir::LogicalResult verifyBiasGradient(mlir::Operation *op, mlir::Value bias,
                                       mlir::Value dbias);

struct AttentionWindow {
  std::optional<uint64_t> before, after;
};

/// The type of the result of nn.attention: its (C1), (C2), (C4), (C6) and
/// (C10).
mlir::FailureOr<mlir::Type>
attentionResult(std::optional<mlir::Location> location, mlir::Value q,
                mlir::Value k, mlir::Value v, const MaskData &mask,
                const AttentionWindow &window);

/// By dim of positions.
struct NeighborhoodWindows {
  llvm::ArrayRef<int64_t> kernels, strides, dilations;
  llvm::ArrayRef<bool> causal;
};

/// The type of the result of nn.neighborhood_attention: its constraints except
/// (C3); of a part neither those of positions that queries and keys share, nor
/// (C6).
mlir::FailureOr<mlir::Type>
neighborhoodResult(std::optional<mlir::Location> location, mlir::Value q,
                   mlir::Value k, mlir::Value v,
                   const NeighborhoodWindows &windows, bool isPart);

} // namespace hocket::nn

#endif // HOCKET_NN_OPS_ATTENTIONRULE_H
