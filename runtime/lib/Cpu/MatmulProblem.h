//===- MatmulProblem.h - a batched product with fewest dims ----*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_MATMULPROBLEM_H
#define HOCKET_LIB_CPU_MATMULPROBLEM_H

#include "hocket/Cpu/Matmul.h"

namespace hocket::runtime {

/// The arguments with batch dims merged: where b is the same for a whole batch
/// and rows continue from one batch entry to the next, the batch becomes rows.
/// All operands have rank batch.size() + 2; a stride is 0 where an operand is
/// the same along a dim. Batch dims of extent 1 are gone.
struct MatmulProblem {
  explicit MatmulProblem(const MatmulArguments &arguments);

  std::vector<int64_t> batch;
  int64_t m, n, k;
  Operand a, b, c;
  std::optional<Operand> bias;
  std::vector<PostOperation> post;

  /// "[128, 768] x [768, 3072] f32".
  std::string describe() const;

private:
  template <typename Visit> void forEach(Visit visit);
  void dropUnitDims();
  bool canMerge(size_t dim, bool withRows);
  void merge(size_t dim, bool withRows);
};

/// Products that oneDNN lacks; any strides.
Status makeBlockedMatmul(const MatmulProblem &problem, int threads,
                         std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_MATMULPROBLEM_H
