//===- NotMetTest.cpp - lists of what no case meets -----------------------===//

#include "NotMet.h"
#include "PlanKinds.h"
#include <gtest/gtest.h>

using namespace hocket::random;

static Coverage coverageOf(const std::map<std::string, int64_t> &rows,
                           const std::string &without) {
  nlohmann::ordered_json json = {
      {"operations", {"nn.add"}},
      {"met", nlohmann::ordered_json::object()},
      {"unmet", nlohmann::ordered_json::array()},
      {"instructions", nlohmann::ordered_json::object()}};
  for (const auto &[row, count] : rows)
    if (count)
      json["met"][row] = count;
    else
      json["unmet"].push_back(row);
  for (const std::string &kind : allKinds())
    if (kind != without)
      json["instructions"][kind] = 1;
  return Coverage::fromJson(json);
}

TEST(NotMet, IsAllThatIsListed) {
  Coverage coverage =
      coverageOf({{"add | 0 | R", 3}, {"add | 1 | R", 0}}, "hook");
  auto listed = readNotMet("# a comment\n\nadd | 1 | R: no program: really\n"
                           "hook: not supported\nnn.pow: none\n");
  EXPECT_EQ(listed.at("add | 1 | R"), "no program: really");
  EXPECT_EQ(checkNotMet(listed, coverage, {"nn.pow"}),
            std::vector<std::string>{});
}

TEST(NotMet, ListsAreExact) {
  Coverage coverage =
      coverageOf({{"add | 0 | R", 3}, {"add | 1 | R", 0}}, "hook");
  auto listed = readNotMet("add | 0 | R: no\nsub | 0 | R: no\n");
  EXPECT_EQ(checkNotMet(listed, coverage, {"nn.pow"}),
            (std::vector<std::string>{
                "no case meets 'add | 1 | R', and it is not listed",
                "no case meets 'hook', and it is not listed",
                "no case meets 'nn.pow', and it is not listed",
                "'add | 0 | R' is listed, and a case meets it",
                "'sub | 0 | R' is listed, and there is no such thing"}));
}
