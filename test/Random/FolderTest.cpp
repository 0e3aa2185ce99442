//===- FolderTest.cpp - the page of what files of a folder meet -----------===//

#include "Folder.h"
#include "PlanKinds.h"
#include <gtest/gtest.h>

using namespace hocket::random;

static Coverage coverageOf(const std::map<std::string, int64_t> &rows,
                           const std::set<std::string> &kinds = {}) {
  nlohmann::ordered_json json = {
      {"operations", nlohmann::ordered_json::array()},
      {"met", nlohmann::ordered_json::object()},
      {"unmet", nlohmann::ordered_json::array()},
      {"instructions", nlohmann::ordered_json::object()}};
  for (const auto &[row, count] : rows)
    if (count)
      json["met"][row] = count;
    else
      json["unmet"].push_back(row);
  for (const std::string &kind : kinds)
    json["instructions"][kind] = 1;
  return Coverage::fromJson(json);
}

static Coverages twoFiles() {
  return {{"a.hkt", coverageOf({{"binary add | 0 | R", 3},
                                {"binary add | 0 | P refused", 0},
                                {"binary add | 1 | R", 0}})},
          {"b.hkt", coverageOf({{"binary add | 0 | R", 1},
                                {"binary add | 0 | P refused", 2}})}};
}

TEST(Folder, RowsAreOfTheFirstFileThatMeetsThem) {
  std::vector<std::string> wrong;
  EXPECT_EQ(ruleLines(twoFiles(), wrong),
            (std::vector<std::string>{
                "| `binary add` | 0 | P refused, R | a.hkt, b.hkt |",
                "| `binary add` | 1 | R |  |"}));
  EXPECT_EQ(wrong,
            (std::vector<std::string>{"no file meets 'binary add | 1 | R'"}));
}

TEST(Folder, ThePageHasTheseLinesAndNoOthers) {
  std::string page =
      "| operation | operand | holds | file |\n|---|---|---|---|\n"
      "| `sum` | 0 | R | a.hkt |\n| `max` | 0 | R | a.hkt |\n"
      "| `copy` | own kernels | a.hkt |\n";
  EXPECT_EQ(checkRules(page, {"| `sum` | 0 | R | a.hkt |",
                              "| `max` | 0 | R | a.hkt |"}),
            std::vector<std::string>{});
  EXPECT_EQ(
      checkRules(page,
                 {"| `sum` | 0 | R, S | a.hkt |", "| `max` | 0 | R | a.hkt |"}),
      (std::vector<std::string>{"the page lacks | `sum` | 0 | R, S | a.hkt |",
                                "the page has | `sum` | 0 | R | a.hkt |"}));
}

TEST(Folder, EachKindOfInstructionHasALineThatHolds) {
  std::set<std::string> kinds = allKinds();
  std::string page;
  for (const std::string &kind : kinds)
    if (kind != "hook" && kind != "iota")
      page += "| `" + kind + "` | own kernels | a.hkt |\n";
  auto check = [&](const std::string &more) {
    return checkInstructions(
        page + more, {{"a.hkt", coverageOf({}, kinds)}, {"b.hkt", {}}},
        [](const std::string &file) {
          return file == "t.cpp" ? "\"not on a \"\n  \"GPU: a hook\"" : "";
        });
  };
  std::string refused = "| `hook` | refused: \"not on a GPU: a hook\" | ";
  EXPECT_EQ(check(refused + "t.cpp |\n| `iota` | own | a.hkt |\n"),
            std::vector<std::string>{});
  EXPECT_EQ(check(refused + "u.cpp |\n| `iota` | own | b.hkt |\n"),
            (std::vector<std::string>{"u.cpp does not have the sentence of " +
                                          refused + "u.cpp |",
                                      "'b.hkt' does not meet 'iota'"}));
  EXPECT_EQ(check("| `dance` | own | a.hkt |\n"),
            (std::vector<std::string>{"the page has | `dance` | own | a.hkt |",
                                      "the page has no line of 'hook'",
                                      "the page has no line of 'iota'"}));
}
