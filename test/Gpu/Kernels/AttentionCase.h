//===- AttentionCase.h - attention on the device and in double -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_KERNELS_ATTENTIONCASE_H
#define HOCKET_TEST_GPU_KERNELS_ATTENTIONCASE_H

#include "runtime/lib/Cuda/Attention/Attention.h"
#include "test/Gpu/Kernels/GpuRun.h"
#include <functional>
#include <set>

namespace hocket::test {

/// What an attention is of. Query head h reads kv head (headOffset + h) / group
/// - kvHeadOffset.
struct AttentionShape {
  plan::DType type = plan::DType::F32;
  int64_t batch = 1, heads = 2, kvHeads = 2, queries = 70, keys = 90;
  int64_t depth = 64, width = 64;
  bool causal = false;
  int64_t before = -1, after = -1, queryOffset = 0, keyOffset = 0;
  int64_t group = 1, headOffset = 0, kvHeadOffset = 0;
  double dropout = 0;
  bool padding = false;
  std::optional<plan::BlockLayout> layout;
  int64_t layoutBlocks = 0; // of the whole sequence
  /// The document of query or key `i` of batch entry `b`; none: no documents.
  std::function<int64_t(int64_t b, int64_t i)> queryDocument, keyDocument;
  plan::DType documentType = plan::DType::I32;
  int64_t pad = 0, offset = 0; // elements after rows, before the first one
  double scale = 0;            // 0: 1 / sqrt(depth)
  int apart = -1;              // a dim of two whose entries lie far apart
  /// All rows of k, or of v, are these times one row further on, so that what
  /// they share cancels in the gradients of scores.
  double commonKeys = 0, commonValues = 0;
  uint32_t seed = 1;
};

/// How far the gradients of q, k and v are off a loop in double: the largest
/// difference by the largest element of that gradient or, where that is zero up
/// to rounding, of all three. Beside them the largest magnitude of a score that
/// a query sees, whose rounding all of them have.
struct GradientErrors {
  double q = 0, k = 0, v = 0, score = 0;
};

/// A type of operands, and what its kernels' results may differ by.
struct AttentionType {
  plan::DType type;
  double tolerance;
  const char *name; // in names of kernels
};

/// Tests of one type each.
class OfAttentionTypes : public CudaKernels,
                         public testing::WithParamInterface<AttentionType> {
public:
  static std::string nameOf(const testing::TestParamInfo<AttentionType> &info) {
    return info.param.name;
  }

protected:
  /// Of this type, against loops in double, forward and backward.
  void expectBothRight(AttentionShape shape);
};
inline const auto attentionTypes =
    testing::Values(AttentionType{plan::DType::F32, 1e-5, "F32"},
                    AttentionType{plan::DType::F64, 1e-12, "F64"},
                    AttentionType{plan::DType::F16, 3e-3, "F16"},
                    AttentionType{plan::DType::BF16, 2e-2, "BF16"});

/// Operands with values, and what comes of them.
class AttentionCase {
public:
  explicit AttentionCase(const AttentionShape &shape);

  /// On the device; what the kernels did.
  ptx::Report run();
  /// The same of the first blocks alone of each launch: the rows of `out` of
  /// batch entry 0 that they write, as (head, query).
  std::set<std::pair<int64_t, int64_t>> rowsOfBlocks(int64_t blocks);
  ptx::Report runGradient();
  /// Each differs from a loop in double by at most `tolerance` times the
  /// largest element that the loop gives, but at least 1; and so do the CPU's.
  void expectForward(double tolerance);
  void expectGradient(double tolerance);
  /// Of the gradients that are here; the CPU's take their place.
  GradientErrors gradientErrors() const;
  void runGradientOnCpu();

  std::vector<runtime::cuda::KernelLaunch> launched;

private:
  using Rows = std::vector<double>;
  struct Reference;
  bool isSeen(int64_t b, int64_t h, int64_t i, int64_t j) const;
  bool isVisited(int64_t h, int64_t i, int64_t j) const;
  runtime::AttentionArguments arguments(bool onDevice);
  void addRow(Reference &reference, int64_t b, int64_t h, int64_t i) const;
  Reference reference() const;
  void expectNear(const TestOperand &found, const Rows &expected,
                  double tolerance, const char *name) const;

  void addCommon(TestOperand &rows, double factor) const;
  void setDocuments();

  AttentionShape shape;
  TestOperand q, k, v, out, lse, keep, dout, dq, dk, dv, step;
  TestOperand queryIds, keyIds;
  GpuRun gpu;
  runtime::AttentionArguments device;
};

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_KERNELS_ATTENTIONCASE_H
