//===- Operations.h - one function for each nn operation -------*- C++ -*-===//
//
// Each function fills in `call.result.values`; shape and size are set before.
// Operands are valid: the dialect's verifier has checked shapes and types.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_REFERENCE_OPERATIONS_H
#define HOCKET_LIB_REFERENCE_OPERATIONS_H

#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Reference/Evaluate.h"

namespace hocket::reference {

/// One evaluation of one operation.
struct Call {
  llvm::SmallVector<const Tensor *, 4> operands;
  Tensor result;            // of the right shape, all zeros
  std::vector<Tensor> more; // the results after it, likewise
  std::string error;        // set by an operation that has no result

  const Tensor &operand(unsigned index) const { return *operands[index]; }
  /// An operand that may be absent: those before it are not optional.
  const Tensor *optional(unsigned index) const {
    return index < operands.size() ? operands[index] : nullptr;
  }
  int64_t size() const { return result.values.size(); }
};

// Sources.cpp
void evaluateFill(nn::FillOp op, Call &call);
void evaluateIota(nn::IotaOp op, Call &call);
// Products.cpp
void evaluateLinear(nn::LinearOp op, Call &call);
void evaluateMatMul(nn::MatMulOp op, Call &call);
// Embedding.cpp
void evaluateEmbedding(nn::EmbeddingOp op, Call &call);
void evaluateEmbeddingGrad(nn::EmbeddingGradOp op, Call &call);
// Edges.cpp
void evaluateGather(nn::GatherOp op, Call &call);
void evaluateScatterSum(nn::ScatterSumOp op, Call &call);
// Convolution.cpp
void evaluateConv(nn::ConvOp op, Call &call);
void evaluateConvTranspose(nn::ConvTransposeOp op, Call &call);
void evaluateConvGradWeight(nn::ConvGradWeightOp op, Call &call);
// Pooling.cpp
void evaluatePool(nn::PoolOp op, Call &call);
void evaluatePoolGrad(nn::PoolGradOp op, Call &call);
// Pad.cpp
void evaluatePad(nn::PadOp op, Call &call);
void evaluatePadTranspose(nn::PadTransposeOp op, Call &call);
/// Keys that an attention's masks, except padding, show to a query.
struct KeyRange {
  int64_t begin, end;
  bool has(int64_t key) const { return key >= begin && key < end; }
};
/// Query i stands at key i + keys - queries; see nn.attention.
template <class OpTy>
KeyRange visibleKeys(OpTy op, int64_t i, int64_t queries, int64_t keys) {
  int64_t at = i + keys - queries;
  KeyRange range{0, keys};
  if (op.getBefore())
    range.begin = std::max(range.begin, at - int64_t(*op.getBefore()));
  if (op.getAfter())
    range.end = std::min(range.end, at + int64_t(*op.getAfter()) + 1);
  if (op.getCausal())
    range.end = std::min(range.end, at + 1);
  return range;
}
// Attention.cpp
void evaluateAttention(nn::AttentionOp op, Call &call);
// AttentionGrad.cpp
void evaluateAttentionGrad(nn::AttentionGradOp op, Call &call);
// Neighborhood.cpp
void evaluateNeighborhoodAttention(nn::NeighborhoodAttentionOp op, Call &call);
void evaluateNeighborhoodAttentionGrad(nn::NeighborhoodAttentionGradOp op,
                                       Call &call);
// Norms.cpp
void evaluateLayerNorm(nn::LayerNormOp op, Call &call);
void evaluateRmsNorm(nn::RmsNormOp op, Call &call);
void evaluateNormalize(nn::NormalizeOp op, Call &call);
void evaluateSoftmax(nn::SoftmaxOp op, Call &call);
void evaluateLogSumExp(nn::LogSumExpOp op, Call &call);
// Rotary.cpp
void evaluateRotary(nn::RotaryOp op, Call &call);
// Dropout.cpp
void evaluateDropout(nn::DropoutOp op, Call &call);
/// What the elements of a dropout are multiplied with, or the weights of an
/// attention, [b, h, s, t]: 0 or 1 / (1 - p). Without a step all 1.
class DropoutFactors {
public:
  /// `step` may be null. The operation tells the seed.
  DropoutFactors(mlir::Operation *op, double p, std::optional<int64_t> stream,
                 const Tensor *step);
  double factor(int64_t element) const;

private:
  bool drops;
  uint64_t key;
  int64_t first = 0; // drawn before it in the step
  uint32_t step, threshold;
  double scale;
};
// Elementwise.cpp
void evaluateUnary(nn::UnaryOp op, Call &call);
void evaluateBinary(nn::BinaryOp op, Call &call);
void evaluateWhere(nn::WhereOp op, Call &call);
void evaluateCast(nn::CastOp op, Call &call);
// Reduce.cpp
void evaluateReduce(nn::ReduceOp op, Call &call);
// Shape.cpp
void evaluateRearrange(nn::RearrangeOp op, Call &call);
void evaluateSlice(nn::SliceOp op, Call &call);
void evaluateConcat(nn::ConcatOp op, Call &call);
void evaluateBroadcast(nn::BroadcastOp op, Call &call);

} // namespace hocket::reference

#endif // HOCKET_LIB_REFERENCE_OPERATIONS_H
