//===- AttentionTest.cpp - a fixed number of cases of attention -----------===//
//
// hocket-random --attention yes runs more of them: see docs/random-testing.md.
//
//===----------------------------------------------------------------------===//

#include "AttentionModel.h"
#include "Summary.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::random;

/// What some of the cases have, and are equal.
static const char *const kFeatures[] = {
    "attention, mask | none",
    "attention, mask | causal",
    "attention, mask | window",
    "attention, mask | padding",
    "attention, mask | neighborhood",
    "attention, mask | layout",
    "attention, mask | causal * layout",
    "attention, drops | ring",
    "attention, kv heads that ranks share | heads",
    "words | using heads",
    "words | using sequence",
    "words | using all_gather",
    "words | using ring",
    "parts | even",
    "parts | even with remainder",
    "parts | empty",
    "parts | of two axes nested",
    "ranks | 2",
    "ranks | 3",
    "ranks | 4",
    "ranks | 6",
    "ranks | 8",
};

/// Every other one with gradients, in training.
TEST(RandomAttention, SixtyCasesAgreeWithTheReference) {
  codegen::KernelCache cache;
  Summary summary;
  for (uint64_t number = 0; number < 60; ++number) {
    CaseKind kind;
    kind.hasGradients = number % 2 == 1;
    kind.isAttention = true;
    CaseResult result =
        runCase(/*seed=*/5, number, cache, summary.coverage, kind);
    summary.add(result);
    EXPECT_NE(result.verdict, Verdict::Failed)
        << "hocket-random --seed 5 --attention yes --gradients "
        << (kind.hasGradients ? "yes" : "no") << " --only " << number << "\n"
        << result.detail << "\n"
        << result.text;
  }
  EXPECT_GE(summary.acceptedShare(), 0.7);
  EXPECT_GE(summary.severalShare(), 0.5);
  EXPECT_LE(summary.illPosed, 4);
  EXPECT_GE(summary.wide, 10);
  for (const char *feature : kFeatures)
    EXPECT_TRUE(summary.features.count(feature)) << feature;
}

/// Each kind of layout is drawn, with parameters that are legal: the cases
/// above would fail. So are products.
TEST(RandomAttention, MasksOfEveryKindAreDrawn) {
  Rng rng(1);
  std::set<std::string> kinds;
  for (int i = 0; i < 400; ++i) {
    std::string mask = drawMask(rng, 12, 12);
    for (const char *kind :
         {"dense(", "fixed(", "variable(", "bigbird(", "bslongformer(",
          "local_sliding_window(", "causal", "window(", "padding(keep)"})
      if (mask.find(kind) != std::string::npos)
        kinds.insert(kind);
    if (mask.empty())
      kinds.insert("none");
  }
  EXPECT_EQ(kinds.size(), 10u);
}
