//===- Attention.h - attention that never holds seq x seq ------*- C++ -*-===//

#ifndef HOCKET_CPU_ATTENTION_H
#define HOCKET_CPU_ATTENTION_H

#include "hocket/Cpu/AttentionDropout.h"
#include "hocket/Cpu/Call.h"
#include "hocket/Cpu/VisitedKeys.h"
#include <algorithm>
#include <optional>

namespace hocket::runtime {

/// Numbers of documents, I32 or I64: a query sees the keys of its own number.
struct Documents {
  Operand queries, keys; // [B, S], [B, T]

  bool areSame(int64_t b, int64_t i, int64_t j) const {
    return numberOf(queries, b, i) == numberOf(keys, b, j);
  }
  static int64_t numberOf(const Operand &ids, int64_t b, int64_t i) {
    int64_t at = b * ids.strides[0] + i * ids.strides[1];
    return ids.type == plan::DType::I64
               ? static_cast<const int64_t *>(ids.data)[at]
               : static_cast<const int32_t *>(ids.data)[at];
  }
};

/// See plan::Attention; the scalars are this rank's. Query i stands at key i +
/// queryOffset - keyOffset: it may read that one, those before it, at most
/// `before`, and, if !causal, those after it, at most `after`.
struct AttentionArguments {
  Operand q, k, v,
      out; // [B, H, S, D], [B, K, T, D], [B, K, T, E], [B, H, S, E]
  std::optional<Operand> lse;  // [B, H, S], F32 or, of F64, F64
  std::optional<Operand> keep; // [B, T], Bool
  std::optional<Documents> documents;
  /// Added to scaled scores, of q's type: [B, H, S, keys of the whole], 1
  /// instead of B, H or S where one number is for all.
  std::optional<Operand> bias;
  double scale = 1;
  bool causal = false;
  int64_t group = 1, headOffset = 0, kvHeadOffset = 0;
  int64_t queryOffset = 0, keyOffset = 0;
  int64_t before = -1, after = -1; // -1: all
  bool isTerm = false; // of a gradient: out and lse are of more keys
  AttentionDropout dropout;
  std::optional<VisitedKeys> visited; // none: all keys, all rows

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
  /// Whether key `j` is neither padding nor of another document than query `i`.
  bool sees(int64_t b, int64_t i, int64_t j) const {
    return isKept(b, j) && (!documents || documents->areSame(b, i, j));
  }
  /// The bias, or its gradient, as [B, H, S, T]: of keys that there are;
  /// nothing steps along a dim of which one number is for all.
  Operand byScores(Operand bias) const;
  /// Keys [keyBegin, keyLimit) are what query `i` may read, except padding and
  /// documents.
  /// Both rise with i.
  int64_t keyLimit(int64_t i) const {
    return isLimited() ? clampKey(i + firstLimit()) : k.shape[2];
  }
  int64_t keyBegin(int64_t i) const {
    return before < 0 ? 0 : clampKey(i + firstBegin());
  }
  bool isLimited() const { return causal || after >= 0; }
  /// Calls visit(begin, end) for each run of keys that query `i` of head `h`
  /// may read, ascending, except padding and documents.
  template <class Visit>
  void visitRuns(int64_t h, int64_t i, Visit visit) const {
    int64_t first = keyBegin(i), limit = keyLimit(i);
    if (!visited) {
      if (first < limit)
        visit(first, limit);
      return;
    }
    for (KeyRun run : visited->runs(h, visited->rowOf(i))) {
      int64_t begin = std::max(run.begin, first);
      int64_t end = std::min(run.end, limit);
      if (begin < end)
        visit(begin, end);
    }
  }
  /// Of query 0, before they are cut to keys that there are.
  int64_t firstLimit() const {
    return queryOffset - keyOffset + 1 + (causal || after < 0 ? 0 : after);
  }
  int64_t firstBegin() const { return queryOffset - keyOffset - before; }
  int64_t clampKey(int64_t key) const {
    return key < 0 ? 0 : key < k.shape[2] ? key : k.shape[2];
  }
};

/// F32: tiles of scores with an online softmax between the products. Other
/// types (computed in F32, F64 in F64): a plain loop over keys. Work is that of
/// the visited keys.
Status makeAttention(const AttentionArguments &arguments, int threads,
                     std::unique_ptr<Call> &call);

/// See plan::AttentionGrad. `forward.out` and `forward.lse` are read.
struct AttentionGradArguments {
  AttentionArguments forward;
  Operand dout, dq, dk, dv;
  std::optional<Operand> dbias = {}; // as the bias; zeros for other keys
};

/// F32: a tile of the scores at a time, which lse makes weights; never seq x
/// seq. Other types: plain loops. Results do not depend on the number of
/// threads: what a bias gets of several batch entries, heads or queries is
/// added in their order.
Status makeAttentionGrad(const AttentionGradArguments &arguments, int threads,
                         std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_CPU_ATTENTION_H
