//===- IoPlanOrder.cpp - programs whose ranks would wait in a circle ------===//

#include "hocket/Plan/Check.h"
#include "hocket/Plan/Summary.h"
#include "test/Runtime/OwnPrograms.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::plan;
using test::ownPrograms;

namespace {

std::string problemOf(const Plan &plan) {
  std::string error, alone;
  bool isGood = check(plan, error);
  EXPECT_EQ(isGood, error.empty());
  EXPECT_EQ(checkOrder(plan, alone), isGood);
  EXPECT_EQ(alone, error);
  return error;
}

std::vector<Instruction> &step(Plan &plan, size_t rankClass) {
  return plan.classes[rankClass].step;
}

/// Starts both collectives of a class and ends them, the second first if
/// `crossed`.
void overlap(Plan &plan, size_t rankClass, bool crossed) {
  std::vector<Instruction> &list = step(plan, rankClass);
  std::vector<int64_t> ids;
  for (Instruction &instruction : list) {
    auto &one = std::get<Collective>(instruction.body);
    one.isStarted = true;
    ids.push_back(one.id);
  }
  list.push_back({-1, Wait{ids[crossed]}});
  list.push_back({-1, Wait{ids[!crossed]}});
}

} // namespace

// No two ranks disagree on a pair, and no circle closes with three.
TEST(PlanOrder, OfSixteenProgramsTwoHaveACircle) {
  for (int bits = 0; bits < 16; ++bits) {
    std::vector<int> firsts = {bits & 1, bits >> 1 & 1, bits >> 2 & 1,
                               bits >> 3 & 1};
    std::string error = problemOf(ownPrograms(firsts));
    bool isCircle = firsts[0] == firsts[3] && firsts[1] == firsts[2] &&
                    firsts[0] != firsts[1];
    EXPECT_EQ(error.empty(), !isCircle) << bits << " " << error;
  }
}

TEST(PlanOrder, ACircleIsToldWhole) {
  EXPECT_EQ(
      problemOf(ownPrograms({0, 1, 1, 0})),
      "step: class 0 begins collective 0 before 1, class 1 begins "
      "collective 1 before 0, class 3 begins collective 0 before 1, class "
      "2 begins collective 1 before 0, so that their ranks wait for each "
      "other for ever");
  EXPECT_EQ(
      problemOf(ownPrograms({0, 1, 1, 0}, /*alone=*/true)),
      "step: class 1 begins collective 2 before 0, class 3 begins "
      "collective 0 before 2, so that their ranks wait for each other for "
      "ever");
}

TEST(PlanOrder, SomeClassesHaveCollectivesOfTheirOwn) {
  Plan plan = ownPrograms({0, 0, 0, 0}, /*alone=*/true);
  EXPECT_EQ(problemOf(plan), "");
  auto report = summary(plan)["collectives"];
  ASSERT_EQ(report.size(), 3u);
  EXPECT_EQ(report[2]["id"], 2);
  EXPECT_EQ(report[2]["bytes_per_rank"].dump(), "[0,12,0,12]");
  step(plan, 3).erase(step(plan, 3).begin() + 1);
  EXPECT_EQ(problemOf(plan), "class 3, step: does not run collective 2, in "
                             "which ranks of class 1 would wait for it");
}

TEST(PlanOrder, EndsHaveAnOrderToo) {
  Plan plan = ownPrograms({0, 0, 0, 0});
  for (size_t k = 0; k < 4; ++k)
    overlap(plan, k, /*crossed=*/true);
  EXPECT_EQ(problemOf(plan), "");
  plan = ownPrograms({0, 0, 0, 0});
  for (size_t k = 0; k < 4; ++k)
    overlap(plan, k, /*crossed=*/k == 1 || k == 2);
  EXPECT_EQ(
      problemOf(plan),
      "step: class 0 ends collective 0 before 1, class 1 ends collective "
      "1 before 0, class 3 ends collective 0 before 1, class 2 ends "
      "collective 1 before 0, so that their ranks wait for each other for "
      "ever");
}
