//===- AttentionSample.h - operands of attention and a reference -*- C++ -*-==//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_ATTENTIONSAMPLE_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_ATTENTIONSAMPLE_H

#include "runtime/lib/Cuda/Dnn/DnnAttention.h"
#include "test/Gpu/Libraries/Dnn/Sample.h"

namespace hocket::test {

/// Extents and masks of an attention; see AttentionArguments.
struct AttentionShape {
  int64_t batch = 2, heads = 4, kvHeads = 4, queries = 12, keys = 12;
  int64_t depth = 16, valueDepth = 16;
  DType type = DType::BF16;
  bool causal = false;
  int64_t queryOffset = 0, before = -1, after = -1;
  std::vector<int64_t> lengths; // keys of each batch entry; none: all
};

/// Operands in the order batch, sequence, heads, elements.
class AttentionSample {
public:
  explicit AttentionSample(const AttentionShape &shape);

  runtime::AttentionArguments forward() const;
  runtime::AttentionGradArguments gradient() const;
  bool sees(int64_t b, int64_t query, int64_t key) const;
  /// Sets out and lse to what they are, in f64.
  void setResults();

  const AttentionShape shape;
  Tensor q, k, v, out, lse, dout, dq, dk, dv;

private:
  std::shared_ptr<std::vector<uint8_t>> keep;
};

/// What the results of both have to be, in f64.
struct AttentionReference {
  explicit AttentionReference(const AttentionSample &sample);

  std::vector<double> out, lse, dq, dk, dv; // row-major
};

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_ATTENTIONSAMPLE_H
