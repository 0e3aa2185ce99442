//===- Attention.h - the instructions of attention -------------*- C++ -*-===//
//
// Part of the plan: see Plan.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_ATTENTION_H
#define HOCKET_PLAN_ATTENTION_H

#include "hocket/Plan/BlockLayout.h"
#include "hocket/Plan/Neighborhood.h"
#include "hocket/Plan/View.h"
#include <optional>

namespace hocket::plan {

/// Which weights [B, H, S, T] of an attention are dropped: those whose random
/// word (hocket/Random/Philox.h) under `key` at `step` (a view of one i32) is
/// below floor(p * 2^32); the others are divided by 1 - p. The word is that of
/// the weight's row-major number in the global tensor. The rank's rows, counted
/// row-major over its B, H and S, are counted as well by factors of `sizes`, of
/// which a step skips `strides` weights of the global tensor; the first one
/// begins at `first`.
struct Dropout {
  double p = 0; // 0: nothing is dropped, the rest is absent
  int64_t key = 0;
  View step;
  Scalar first;
  std::vector<int64_t> sizes, strides;
};

/// What computes an attention: the runtime's own kernels, or cuDNN on a GPU.
enum class AttentionEngine { Own, Cudnn };

/// out[b,h,i,:] = softmax_j(scale * q[b,h,i,:].k[b,g(h),j,:] + bias + mask)
/// v[b,g(h),j,:] Views: q [B,H,S,D], k [B,K,T,D], v [B,K,T,E], out [B,H,S,E],
/// all strided. Query head h of this rank is global head headOffset + h; it
/// reads local kv head (headOffset + h) / group - kvHeadOffset. `keep` [B,T]
/// (Bool, true = attend) may be absent (buffer -1), and so may both of
/// `queryDocuments` [B,S] and `keyDocuments` [B,T] (I32 or I64), of which equal
/// numbers see each other only. `bias` [B,H,S,T of the whole], of q's type, may
/// be absent, too, and have 1 instead of B, H or S, where one number is for
/// all; of the rank's key j it has that of keyOffset + j. Query i stands at key
/// i + queryOffset - keyOffset (+ T_global - S_global, already in queryOffset);
/// causal: it sees no key after that; before, after: at most so many before and
/// after it, -1 all. Keys are counted from keyOffset by dropout. A row with
/// nothing to attend to gives zeros. In training weights are dropped: see
/// Dropout. `lse` [B,H,S] (F32, of F64 operands F64), there if a gradient reads
/// it, is the logarithm of the sum of exp(scale * q.k + bias) over what it
/// sees, -inf where that is nothing. Under a `layout` a query sees besides only
/// the key blocks that its own block visits in a sequence of `layoutBlocks`;
/// its position is that of the key where it stands.
struct Attention {
  View q, k, v, out, lse, keep, queryDocuments, keyDocuments, bias;
  double scale;
  bool causal = false;
  int64_t group = 1;
  Scalar headOffset, kvHeadOffset, queryOffset, keyOffset;
  int64_t before = -1, after = -1;
  std::optional<BlockLayout> layout;
  int64_t layoutBlocks = 0;
  Dropout dropout;
  /// k and v are some of the keys that its queries see. An attention gives the
  /// term of these, to be merged by lse; of its gradient, out and lse are those
  /// of all keys, and dq is a term.
  bool isTerm = false;
  /// Of what it stands for, the attention or its gradient.
  AttentionEngine engine = AttentionEngine::Own;
  /// Of a gradient by cuDNN: its bits may be others in each run.
  bool isNondeterministic = false;
};

/// One dim of a neighborhood: its windows are of the whole dim, in which the
/// rank's queries begin at queryOffset and the keys that it holds at keyOffset.
struct NeighborhoodDim {
  Neighborhood window;
  Scalar queryOffset, keyOffset;
};

/// out[b,h,i...,:] = softmax_j(scale * q[b,h,i...,:].k[b,g(h),j...,:])
/// v[b,g(h),j...,:] over the keys j that `dims` show to query i, 1 to 3 dims.
/// Views: q [B,H,n...,D], k [B,K,m...,D], v [B,K,m...,E], out [B,H,n...,E], lse
/// [B,H,n...]. Heads and lse as in Attention.
struct NeighborhoodAttention {
  View q, k, v, out, lse;
  double scale;
  int64_t group = 1;
  Scalar headOffset, kvHeadOffset;
  std::vector<NeighborhoodDim> dims;
};

/// dq, dk and dv = the gradients of `forward`'s operands where that of its
/// result is `dout`. Its `out` and `lse` are read. dout is like out, the others
/// are like q, k and v. `dbias` may be absent; it is like the bias of an
/// Attention, zeros for keys that the rank does not have.
template <class Forward> struct GradientOf {
  Forward forward;
  View dout, dq, dk, dv, dbias;
};
using AttentionGrad = GradientOf<Attention>;
using NeighborhoodAttentionGrad = GradientOf<NeighborhoodAttention>;

} // namespace hocket::plan

#endif // HOCKET_PLAN_ATTENTION_H
