//===- CpuVisitedKeys.cpp - what a rank's queries visit -------------------===//

#include "test/Runtime/RandomLayout.h"

using namespace hocket;
using namespace hocket::test;
using runtime::KeyRun;

namespace {

std::vector<KeyRun> runsOf(const runtime::AttentionArguments &given, int64_t h,
                           int64_t i) {
  std::vector<KeyRun> runs;
  given.visitRuns(
      h, i, [&](int64_t begin, int64_t end) { runs.push_back({begin, end}); });
  return runs;
}

/// By the rule itself, key by key.
std::vector<KeyRun> expectedRuns(const AttentionProblem &problem, int64_t h,
                                 int64_t i) {
  const runtime::AttentionArguments &given = problem.given;
  std::vector<KeyRun> runs;
  int64_t at = i + given.queryOffset;
  for (int64_t j = 0; j < given.k.shape[2]; ++j) {
    int64_t other = j + given.keyOffset;
    if (!problem.shows(given.headOffset + h, at, other) ||
        (given.causal && other > at) ||
        (given.before >= 0 && other < at - given.before))
      continue;
    if (!runs.empty() && runs.back().end == j)
      ++runs.back().end;
    else
      runs.push_back({j, j + 1});
  }
  return runs;
}

} // namespace

TEST(VisitedKeys, AreThoseOfTheRule) {
  for (int64_t block : {1, 5, 16})
    for (int64_t queryOffset : {0, 7, 64})
      for (int64_t keyOffset : {0, 3, 32})
        for (int64_t before : {-1, 9})
          for (bool causal : {false, true}) {
            AttentionProblem problem({1, 3, 3, 40, 50, 4, 4});
            problem.given.causal = causal, problem.given.before = before;
            problem.given.queryOffset = queryOffset;
            problem.given.keyOffset = keyOffset;
            problem.given.headOffset = problem.given.kvHeadOffset = 2;
            RandomLayout layout{block, 5, 128};
            layout.draw(uint32_t(block));
            layout.give(problem);
            for (int64_t h = 0; h < 3; ++h)
              for (int64_t i = 0; i < 40; ++i)
                EXPECT_TRUE(runsOf(problem.given, h, i) ==
                            expectedRuns(problem, h, i))
                    << block << " " << queryOffset << " " << keyOffset;
          }
}

// What no query of a row sees is not in its list, so that nothing visits it.
TEST(VisitedKeys, AreCutToWhatTheRowSees) {
  AttentionProblem problem({1, 1, 1, 40, 64, 4, 4});
  problem.given.causal = true;
  problem.given.queryOffset = 24;
  problem.given.before = 10;
  problem.given.visited = runtime::VisitedKeys(
      problem.given, {16, false, [](int64_t, int64_t) {
                        return std::vector<KeyRun>{{0, 16}, {16, 80}};
                      }});
  const runtime::VisitedKeys &visited = *problem.given.visited;
  ASSERT_EQ(visited.rows(), 3); // queries 24 to 31, 32 to 47, 48 to 63
  KeyRun expected[] = {{14, 32}, {22, 48}, {38, 64}};
  KeyRun queries[] = {{0, 8}, {8, 24}, {24, 40}};
  for (int64_t row = 0; row < 3; ++row) {
    EXPECT_TRUE(visited.queriesOf(row) == queries[row]);
    ASSERT_EQ(visited.runs(0, row).end() - visited.runs(0, row).begin(), 1);
    EXPECT_TRUE(*visited.runs(0, row).begin() == expected[row]);
  }
}

TEST(VisitedKeys, OfLayouts) {
  plan::BlockLayout layout;
  layout.kind = plan::LayoutKind::Fixed, layout.block = 8;
  runtime::BlockRule rule = runtime::ruleOf(layout, 16);
  EXPECT_EQ(rule.block, 8);
  EXPECT_FALSE(rule.isPerHead);
  // Blocks 4 to 7, and the last of each four.
  std::vector<KeyRun> expected = {{24, 64}, {88, 96}, {120, 128}};
  EXPECT_TRUE(rule.runs(0, 5) == expected);
}
