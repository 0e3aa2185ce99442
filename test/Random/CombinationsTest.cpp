//===- CombinationsTest.cpp - attention in each pair of choices -----------===//
//
// hocket-random --combinations all runs the whole product.
//
//===----------------------------------------------------------------------===//

#include "Combinations.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::random;

TEST(Combinations, EachPairAgreesWithTheReference) {
  std::vector<Combination> pairs = pairCombinations();
  EXPECT_GE(pairs.size(), 180u); // fifteen masks on twelve divisions of heads
  codegen::KernelCache cache;
  for (const Combination &combination : pairs) {
    CaseResult result = runCombination(combination, cache);
    EXPECT_EQ(result.verdict, Verdict::Equal) << nameOf(combination) << "\n"
                                              << result.detail << "\n"
                                              << result.text;
  }
}
