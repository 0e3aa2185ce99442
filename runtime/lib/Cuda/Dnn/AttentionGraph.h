//===- AttentionGraph.h - attention described to cuDNN ---------*- C++ -*-===//
//
// The library knows attention as a graph of products, pointwise operations and
// reductions and computes it as one kernel that holds no scores. What it knows
// so is what its own front end writes (docs.nvidia.com, cuDNN Frontend,
// Attention, and Graph API, Fused Flash Attention).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_ATTENTIONGRAPH_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_ATTENTIONGRAPH_H

#include "runtime/lib/Cuda/Dnn/AttentionForm.h"
#include "runtime/lib/Cuda/Dnn/DnnOperations.h"

namespace hocket::runtime::cuda {

/// Names of tensors in a plan.
enum DnnAttentionName : int64_t {
  DnnAttentionQ = 1,
  DnnAttentionK = 2,
  DnnAttentionV = 3,
  DnnAttentionOut = 4,
  DnnAttentionLse = 5,
  DnnAttentionQueries = 6, // how many there are, [batch] of i32
  DnnAttentionKeys = 7,    // likewise
  DnnAttentionDOut = 8,
  DnnAttentionDQ = 9,
  DnnAttentionDK = 10,
  DnnAttentionDV = 11,
  DnnAttentionMeans = 12,  // of a gradient, [batch, heads, queries, 1] of f32
  DnnAttentionDQSums = 13, // of dq, in f32
};

class AttentionGraph : public DnnOperations {
public:
  using DnnOperations::DnnOperations;

  Status make(const AttentionForm &form, bool isDeterministic);
  /// The text of the best plan in at most `workspace` bytes, which has the same
  /// bits in each run if `isDeterministic`; empty if there is none, with the
  /// least that one wants in `wanted`, or 0.
  Status choose(int64_t workspace, bool isDeterministic, std::string &plan,
                int64_t &wanted) const;

private:
  void makeForward();
  void makeGradient(bool isDeterministic);
  DnnObject *addLengths(int64_t name);
  DnnObject &scores(const DnnObject &q, const DnnObject &k);
  DnnObject &masked(DnnObject &scores);
  DnnObject &hideAfter(DnnObject &scores, int32_t last);
  DnnObject &hideBefore(DnnObject &scores, int32_t first);
  DnnObject &hidePadding(DnnObject &scores);
  DnnObject &shown(DnnObject &scores, const DnnObject &condition);
  DnnObject &means(const DnnObject &dout, const DnnObject &out);
  void gradientOfKeys(DnnObject &weights, const DnnObject &rows,
                      const GraphShape &shape, int64_t name);
  DnnObject &apply(DnnPointwiseKind kind, const DnnObject &x,
                   const DnnObject *b, const GraphShape &shape);

  AttentionForm form;
  const DnnObject *queryLengths = nullptr, *keyLengths = nullptr;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_ATTENTIONGRAPH_H
