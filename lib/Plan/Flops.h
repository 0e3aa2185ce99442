//===- Flops.h - counting what a step computes -----------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_FLOPS_H
#define HOCKET_LIB_PLAN_FLOPS_H

#include "hocket/Plan/Plan.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::planning {

/// Adds a product of extents to what the ranks of a class compute. What 64 bits
/// do not hold stays the most that they do, which reports show as "more than".
template <class Extents>
void addFlops(plan::RankClass &ranks, const Extents &extents) {
  uint64_t product = 1;
  for (int64_t extent : extents)
    product = llvm::SaturatingMultiply(product, uint64_t(extent));
  uint64_t sum = llvm::SaturatingAdd(product, uint64_t(ranks.budget.flops));
  ranks.budget.flops = int64_t(std::min(sum, uint64_t(INT64_MAX)));
}

} // namespace hocket::planning

#endif // HOCKET_LIB_PLAN_FLOPS_H
