//===- AttentionProblem.h - parameters that passes share -------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPROBLEM_H
#define HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPROBLEM_H

#include "hocket/Cpu/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionParameters.h"

namespace hocket::runtime::cuda {

/// The extents, masks and dropout of an attention, checked.
struct AttentionProblem {
  AttentionParameters parameters = {};
  int depth = 0; // of the kernels: 32, 64, 128 or 256
  plan::DType type = plan::DType::F32;

  static Status make(const AttentionArguments &given,
                     AttentionProblem &problem);
  bool isHalf() const {
    return type == plan::DType::F16 || type == plan::DType::BF16;
  }
  int bytes() const { return static_cast<int>(plan::byteSize(type)); }
  /// "BF16D64Drop": the end of a kernel's name.
  std::string suffix() const;
  /// Whether its kernels are those of lists, and of a bias, which are of
  /// sources of their own. Those of a bias are of lists as well.
  bool isListed = false, isBiased = false;
  std::string source(const char *name) const {
    return std::string(name) + (isBiased ? "Biased" : isListed ? "Listed" : "");
  }
  /// Of how many heads of all `heads` blocks begin together, each of which
  /// meets `columns` keys and values, or queries and their gradients. Of one,
  /// where all blocks are as long; else of as many as a cache can hold.
  uint32_t headsAtOnce(int64_t heads, int64_t columns) const;
};

HeadTensor headTensor(const Operand &operand);
/// Of an operand that AttentionArguments::byScores has given.
ScoreTensor scoreTensor(const Operand &operand);

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_ATTENTIONPROBLEM_H
