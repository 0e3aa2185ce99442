//===- Algorithm.h - the algorithms of the look-alike ----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_ALGORITHM_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_ALGORITHM_H

#include "test/Gpu/Libraries/Blas/Problem.h"

namespace hocket::lookalike {

/// They add the terms of a sum in other orders, so they round differently.
enum class Order : uint64_t {
  Strided, ///< four sums, of every fourth term
  Halves,  ///< two sums, backwards; they stand in the workspace in between
  Chunks,  ///< sums of sixteen terms, added up
  Rounded, ///< as Halves, each of them rounded to the type of the result
};

/// What a BlasAlgorithm holds.
struct Algorithm {
  Order order = Order::Strided;
  uint64_t digest = 0;        ///< of the problem
  uint64_t workspace = 0;     ///< bytes
  uint32_t alignment[5] = {}; ///< bytes, of A, B, C, D and the bias

  BlasAlgorithm pack() const;
  /// False where no algorithm was packed.
  bool unpack(const BlasAlgorithm &packed);
};

/// Bytes of the partial sums of Order::Halves and Order::Rounded.
uint64_t partialBytes(const Problem &problem);

/// The largest power of two that divides an address, at most 256.
uint32_t alignmentOf(const void *address);

/// What the algorithm wants and a problem or its addresses do not have, as a
/// sentence.
std::string whyNotFor(const Algorithm &algorithm, const Problem &problem);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_ALGORITHM_H
