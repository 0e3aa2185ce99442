//===- Compare.h - two results of a vector side by side --------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_VECTORS_COMPARE_H
#define HOCKET_TEST_GPU_VECTORS_COMPARE_H

#include "test/Gpu/Vectors/Vector.h"

namespace hocket::vectors {

/// What came of the numbers of all outputs.
struct Comparison {
  uint64_t numbers = 0;
  uint64_t otherBits = 0; ///< whose bits differ, allowed or not
  uint64_t wrong = 0;     ///< that differ by more than the rule allows
  /// The most that a number differs by, as a part of what the rule allows.
  double worst = 0;
  std::string first; ///< of the wrong ones: inputs, expected, found
};

Comparison compare(const Vector &vector, const std::vector<std::byte> &expected,
                   const std::vector<std::byte> &found);

/// Number i of an array; integers as they are.
double numberAt(Type type, const std::byte *array, uint64_t i);

} // namespace hocket::vectors

#endif // HOCKET_TEST_GPU_VECTORS_COMPARE_H
