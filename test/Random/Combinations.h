//===- Combinations.h - attention in every combination ----------*- C++ -*-===//
//
// One attention of each mask under each strategy, order, number of ranks, kind
// of length, division of heads, with dropout and without, in float32 and
// float64: the full product, and a part of it that has each pair of values.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_COMBINATIONS_H
#define HOCKET_TEST_RANDOM_COMBINATIONS_H

#include "RunCase.h"
#include <array>
#include <vector>

namespace hocket::random {

/// Mask, strategy, order, ranks, length, heads, dropout, precision.
using Combination = std::array<int, 8>;

/// All that the language has: a ring has no neighborhood, margins are of
/// windows in intervals, and keys of a window are not gathered in an order.
std::vector<Combination> allCombinations();

/// Some of them, with each pair of values that any of them has.
std::vector<Combination> pairCombinations();

/// "causal, ring, zigzag, 3 ranks, 13 positions, 2 of 8 heads, drops, float64".
std::string nameOf(const Combination &combination);
std::string textOf(const Combination &combination);

/// Outputs and all gradients to 1e-5 and 1e-4, or 1e-12 in float64.
CaseResult runCombination(const Combination &combination,
                          codegen::KernelCache &cache);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_COMBINATIONS_H
