//===- AttentionForm.h - an attention as cuDNN sees it ---------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_ATTENTIONFORM_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_ATTENTIONFORM_H

#include "hocket/Cuda/Attention.h"
#include "runtime/lib/Cuda/Dnn/GraphShape.h"

namespace hocket::runtime::cuda {

/// q [batch, heads, queries, depth], k, v and out accordingly; of a gradient
/// dout, dq, dk and dv besides.
struct AttentionForm {
  /// Why there is none; then nothing else of this is set.
  std::string reason;
  bool isEmpty = false; // nothing is computed
  bool isGradient = false;
  DnnType type = DnnF16;
  int64_t batch = 0, heads = 0, kvHeads = 0, queries = 0, keys = 0;
  int64_t depth = 0, valueDepth = 0; // elements of a head
  GraphShape q, k, v, out, dout, dq, dk, dv;
  bool hasLse = false, hasLengths = false;
  /// Query i sees keys up to i + `last`, and from i + `first` on.
  std::optional<int32_t> last, first;
  float scale = 1;

  /// All that a plan of the library depends on, as text.
  std::string key() const;
  /// Of one number for each query and key, or each query.
  GraphShape scores() const {
    return GraphShape::dense({batch, heads, queries, keys});
  }
  GraphShape rows() const {
    return GraphShape::dense({batch, heads, queries, 1});
  }
};

AttentionForm formOf(const AttentionArguments &arguments);
AttentionForm formOf(const AttentionGradArguments &arguments);

/// Where in the workspace what the library is given besides operands lies, in
/// bytes; 0 bytes: it is not given that.
struct AttentionWorkspace {
  explicit AttentionWorkspace(const AttentionForm &form);

  int64_t queryLengths = 0, keyLengths = 0, lse = 0, means = 0, dqSums = 0;
  int64_t library = 0; // and where its own begins
  int64_t libraryBytes = 0;

  int64_t bytes() const { return library + libraryBytes; }
};

/// "attention of [2, 8, 512, 64] over [2, 2, 512, 64] bf16", "gradient of the
/// ...".
std::string describe(const AttentionArguments &arguments);
std::string describe(const AttentionGradArguments &arguments);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_ATTENTIONFORM_H
