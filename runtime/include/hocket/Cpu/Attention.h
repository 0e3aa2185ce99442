//===- Attention.h - attention that never holds seq x seq ------*- C++ -*-===//

#ifndef HOCKET_CPU_ATTENTION_H
#define HOCKET_CPU_ATTENTION_H

#include "hocket/Cpu/AttentionDropout.h"
#include "hocket/Cpu/Call.h"
#include <optional>

namespace hocket::runtime {

/// See plan::Attention; the scalars are this rank's. Query i may read key j if
/// !causal or j <= i + queryOffset - keyOffset.
struct AttentionArguments {
  Operand q, k, v,
      out; // [B, H, S, D], [B, K, T, D], [B, K, T, E], [B, H, S, E]
  std::optional<Operand> keep; // [B, T], Bool
  float scale = 1;
  bool causal = false;
  int64_t group = 1, headOffset = 0, kvHeadOffset = 0;
  int64_t queryOffset = 0, keyOffset = 0;
  AttentionDropout dropout;

  /// The local kv head that local query head `head` reads.
  int64_t kvHead(int64_t head) const {
    return (headOffset + head) / group - kvHeadOffset;
  }
  /// Whether key `j` of batch entry `b` is not padding.
  bool isKept(int64_t b, int64_t j) const {
    return !keep ||
           static_cast<const uint8_t *>(
               keep->data)[b * keep->strides[0] + j * keep->strides[1]] != 0;
  }
  /// Keys [0, result) are what query `i` may read, causality alone.
  int64_t keyLimit(int64_t i) const {
    int64_t keys = k.shape[2];
    if (!causal)
      return keys;
    int64_t limit = i + queryOffset - keyOffset + 1;
    return limit < 0 ? 0 : limit < keys ? limit : keys;
  }
};

/// F32: tiles of scores by oneDNN with an online softmax between. Other types
/// (computed in F32, F64 in F64): a plain loop over keys.
Status makeAttention(const AttentionArguments &arguments, int threads,
                     std::unique_ptr<Call> &call);

/// See plan::AttentionGrad. `forward.out` is the gradient of the result.
struct AttentionGradArguments {
  AttentionArguments forward;
  Operand dq, dk, dv;
};

/// F32: a block of whole rows of the weights at a time by oneDNN, which are
/// computed anew from q and k; never seq x seq. Other types: plain loops.
/// Results do not depend on the number of threads.
Status makeAttentionGrad(const AttentionGradArguments &arguments, int threads,
                         std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_CPU_ATTENTION_H
