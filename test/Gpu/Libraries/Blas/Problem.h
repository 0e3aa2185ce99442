//===- Problem.h - a product as its descriptors say ------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_PROBLEM_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_PROBLEM_H

#include "test/Gpu/Libraries/Blas/Objects.h"

namespace hocket::lookalike {

/// D [m, n] = act(alpha op(A) op(B) + beta C + bias [m]), where op(A) is [m, k]
/// and op(B) [k, n]: what is left of the descriptors when a call returns.
struct Problem {
  BlasProductStruct description;
  BlasLayoutStruct a, b, c, d;
  int64_t m = 0, n = 0, k = 0;

  int64_t batches() const { return d.batchCount; }
  bool hasBias() const { return description.epilogue & BlasBias; }
  bool isDouble() const { return d.type == BlasF64; }
  /// Equal for products that one algorithm serves.
  uint64_t digest() const;
};

int64_t bytesOf(int type);
const char *nameOf(int type);

/// Makes a problem of living descriptors; a sentence about what no document
/// promises, or nothing.
std::string makeProblem(BlasHandle handle, BlasDescription description,
                        BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d,
                        Problem &problem);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_PROBLEM_H
