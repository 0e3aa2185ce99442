//===- JournalTest.cpp - what long runs write of their cases --------------===//

#include "Journal.h"
#include "PlanKinds.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::random;

static const char *const kModel =
    "hocket 1\nmodel Net(n: int = 4) {\n  forward(x: f32[n], y: f32[n]) -> "
    "f32[n] {\n    return gelu(x) + y\n  }\n}\n\nschedule s for Net {\n  mesh "
    "(tp = 2)\n";

static Journal::Entry judged(const std::string &lines) {
  codegen::KernelCache cache;
  Journal::Entry entry;
  entry.result = runText(kModel + lines + "}\n", /*isExact=*/false, /*seed=*/1,
                         cache, &entry.coverage);
  return entry;
}

/// Rows and instructions are met by what ran and is equal, and by nothing else.
TEST(Coverage, WhatIsRefusedMeetsNothing) {
  Coverage equal =
      judged("  shard x axis n over tp\n  shard y axis n over tp\n").coverage;
  EXPECT_EQ(equal.rows().at("unary gelu | 0 | S pointwise"), 1);
  EXPECT_EQ(equal.rows().at("unary gelu | 0 | R"), 0);
  EXPECT_EQ(equal.kinds().count("kernel"), 1u);

  Coverage refused;
  refused.mergeRows(equal);
  EXPECT_EQ(refused.met(), 0);
  EXPECT_EQ(refused.rows().size(), equal.rows().size());
  EXPECT_TRUE(refused.kinds().empty());

  Journal::Entry wrong = judged("  sync y fwd_post all_reduce over tp\n");
  EXPECT_EQ(wrong.result.verdict, Verdict::Refused) << wrong.result.detail;
  EXPECT_EQ(wrong.coverage.met(), 0);
}

TEST(PlanKinds, EachKindOfAPlanIsOneOfAll) {
  std::set<std::string> all = allKinds();
  for (const char *kind : {"kernel", "collective halo_reduce", "wait",
                           "convolution weight_gradient", "matmul with add",
                           "pooling max, gradient"})
    EXPECT_TRUE(all.count(kind)) << kind;
  EXPECT_FALSE(all.count("collective"));
}

namespace {
struct JournalTest : testing::Test {
  std::string path = std::filesystem::path(testing::TempDir()) / "journal";
  void SetUp() override { std::filesystem::remove(path); }
};
} // namespace

TEST_F(JournalTest, GoesOnWhereItStood) {
  Journal::Entry entry =
      judged("  shard x axis n over tp\n  shard y axis n over tp\n");
  CaseKind kind{/*hasGradients=*/true};
  {
    Journal journal;
    ASSERT_EQ(journal.open(path, /*seed=*/5, kind), "");
    EXPECT_EQ(journal.find(3), nullptr);
    journal.add(3, entry);
  }
  std::ofstream(path, std::ios::app) << "{\"of\": \"se"; // killed while writing
  for (uint64_t number : {4, 5}) {
    Journal journal;
    ASSERT_EQ(journal.open(path, /*seed=*/5, kind), "");
    ASSERT_TRUE(journal.find(3));
    EXPECT_EQ(journal.find(3)->result.verdict, Verdict::Equal);
    EXPECT_EQ(journal.find(3)->result.features, entry.result.features);
    EXPECT_EQ(journal.find(3)->coverage.json(), entry.coverage.json());
    EXPECT_EQ(journal.find(4) != nullptr, number == 5);
    journal.add(number, entry);
  }
}

TEST_F(JournalTest, BelongsToOneSeedAndKind) {
  {
    Journal journal;
    ASSERT_EQ(journal.open(path, /*seed=*/5, {}), "");
    journal.add(0, {});
  }
  Journal journal;
  EXPECT_EQ(journal.open(path, /*seed=*/6, {/*hasGradients=*/true}),
            path + " is of seed 5, this run of seed 6, gradients; name another "
                   "file");
  EXPECT_EQ(Journal().open("/proc/nowhere", 5, {}),
            "cannot write /proc/nowhere; name another file");
}

/// Another compiler that makes the same of a case has the same line for it.
TEST(Journal, SaysBitsAndMovesOfWhatRan) {
  std::string lines = "  shard y axis n over tp\n  sync y fwd_pre all_gather "
                      "axis n over tp\n";
  CaseResult moved = judged(lines).result;
  ASSERT_EQ(moved.verdict, Verdict::Equal) << moved.detail;
  ASSERT_EQ(moved.moved.size(), 1u);
  const Moved &gathers = moved.moved.at("all_gather");
  EXPECT_EQ(gathers.calls, 1);
  EXPECT_EQ(gathers.bytes, 2 * 2 * 4); // each rank two floats
  EXPECT_EQ(gathers.messages, 2);

  CaseResult whole = judged("").result;
  EXPECT_TRUE(whole.moved.empty());
  EXPECT_EQ(whole.digest, moved.digest); // a gather changes no bit
  codegen::KernelCache cache;
  CaseResult other =
      runText(std::string(kModel) + "}\n", false, /*seed=*/2, cache, nullptr);
  EXPECT_NE(other.digest, whole.digest);
}

TEST(Journal, RunsATextAgainAsItWasDrawn) {
  codegen::KernelCache cache;
  CaseKind kind{/*hasGradients=*/true};
  for (uint64_t number : {0, 1, 2, 3, 4, 5}) {
    Coverage drawn, again;
    CaseResult first = runCase(/*seed=*/1, number, cache, drawn, kind);
    CaseResult second = rerunCase(first.text, number, cache, again, kind);
    EXPECT_EQ(second.verdict, first.verdict) << first.text;
    EXPECT_EQ(second.digest, first.digest) << first.text;
    EXPECT_EQ(second.isMended, first.isMended);
    EXPECT_EQ(again.rows(), drawn.rows());
  }
}
