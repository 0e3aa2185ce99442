//===- Flops.h - counting what a step computes ------------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLANNING_FLOPS_H
#define HOCKET_LIB_PLANNING_FLOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::planning {

/// A number and a product of extents. What 64 bits do not hold stays the most
/// that they do, which reports show as "more than".
inline int64_t saturatingSum(int64_t number, llvm::ArrayRef<int64_t> extents) {
  uint64_t product = 1;
  for (int64_t extent : extents)
    product = llvm::SaturatingMultiply(product, uint64_t(extent));
  uint64_t sum = llvm::SaturatingAdd(product, uint64_t(number));
  return int64_t(std::min(sum, uint64_t(INT64_MAX)));
}

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_FLOPS_H
