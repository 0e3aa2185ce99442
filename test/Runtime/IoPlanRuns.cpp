//===- IoPlanRuns.cpp - cuts whose parts are several runs -----------------===//

#include "FullPlan.h"
#include "hocket/Plan/Check.h"
#include "gtest/gtest.h"

using namespace hocket::plan;

namespace {

/// Ranks 0 and 1 have numbers [0, 1) and [1, 4) of a list.
Plan planOf(std::vector<int64_t> first, std::vector<int64_t> length,
            std::vector<int64_t> every) {
  Plan plan = fullPlan();
  int next = int(plan.tables.size());
  plan.tables.push_back({{0}, {0, 1}});
  plan.tables.push_back({{0}, std::move(first)});
  plan.tables.push_back({{0}, std::move(length)});
  plan.tables.push_back({{0}, std::move(every)});
  plan.parameters[0].cuts[0].runs = {next, next + 1, next + 2, next + 3};
  return plan;
}

std::string errorOf(const Plan &plan) {
  std::string error;
  EXPECT_EQ(check(plan, error), error.empty());
  return error;
}

TEST(PlanCheck, PartsOfRuns) {
  EXPECT_EQ(errorOf(planOf({3, 0}, {1, 3}, {1, 1})), ""); // 3 | 0 1 2
  EXPECT_EQ(errorOf(planOf({1, 0}, {1, 1}, {1, 2})),      // 1 | 0 2 4
            "parameter 'proj.weight': runs leave the extent 4");
  EXPECT_EQ(errorOf(planOf({0, 1}, {1, 4}, {1, 1})), ""); // 0 | 1 2 3
  EXPECT_EQ(errorOf(planOf({0, 2}, {1, 4}, {1, 1})),      // 0 | 2 3 4
            "parameter 'proj.weight': runs leave the extent 4");
  EXPECT_EQ(errorOf(planOf({2, 0}, {1, 3}, {1, 1})), // 2 | 0 1 2
            "parameter 'proj.weight': two parts have element 2");
  EXPECT_EQ(errorOf(planOf({3, 0}, {0, 3}, {1, 1})),
            "parameter 'proj.weight': runs of 0 every 1 from 3 on are not of "
            "the extent 4");
  // Of a single run, however far the next one would be.
  EXPECT_EQ(errorOf(planOf({3, 0}, {8, 8}, {9, 9})), "");
  Plan plan = planOf({3, 0}, {1, 3}, {1, 1});
  plan.parameters[0].cuts[0].runs->every = 99;
  EXPECT_EQ(errorOf(plan), "parameter 'proj.weight': table 99 does not exist");
}

/// Parts of half of a long factor each, by runs of one element.
Plan planOfHalves(std::vector<int64_t> every) {
  Plan plan = planOf({0, 1}, {1, 1}, std::move(every));
  int64_t half = int64_t(5) << 20;
  plan.tables.push_back({{0}, {0, half}});
  plan.tables.push_back({{0}, {half, half}});
  int last = int(plan.tables.size()) - 1;
  Cut &cut = plan.parameters[0].cuts[0];
  cut.offset = cut.runs->begin = last - 1;
  cut.size = last;
  plan.parameters[0].dims[0] = plan.parameters[0].shape[0] = 4 * half;
  return plan;
}

TEST(PlanCheck, ManyRuns) {
  // Of stripes, how many does not matter: what is wrong comes after.
  EXPECT_EQ(errorOf(planOfHalves({2, 2})).find("runs"), std::string::npos);
  EXPECT_EQ(errorOf(planOfHalves({2, 3})),
            "parameter 'proj.weight': a cut has more than 4194304 runs");
  EXPECT_EQ(errorOf(planOfHalves({2, 5})),
            "parameter 'proj.weight': runs leave the extent 20971520");
}

} // namespace
