//===- RandomTest.cpp - a fixed number of random cases --------------------===//
//
// hocket-random runs more of them: see docs/random-testing.md.
//
//===----------------------------------------------------------------------===//

#include "Attempt.h"
#include "Summary.h"
#include "Wrong.h"
#include "test/Paths.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace hocket;
using namespace hocket::random;

/// Operations that no case had.
static std::set<std::string> unseen(const Summary &summary) {
  Attempt any = attempt("hocket 1\nmodel Net() {\n  forward(x: f32[2]) {\n    "
                        "return x\n  }\n}\n",
                        /*place=*/true);
  return summary.coverage.unseen(any.compiler->context());
}

TEST(Random, TwoHundredCasesAgreeWithTheReference) {
  codegen::KernelCache cache;
  Summary summary;
  for (uint64_t number = 0; number < 200; ++number) {
    CaseResult result = runCase(/*seed=*/1, number, cache, summary.coverage);
    summary.add(result);
    EXPECT_NE(result.verdict, Verdict::Failed)
        << "hocket-random --seed 1 --only " << number << "\n"
        << result.detail << "\n"
        << result.text;
    // What `auto reshard` does not mend is said to be a limit or the fault of a
    // line by itself.
    if (result.verdict == Verdict::Refused && !result.isMended)
      EXPECT_FALSE(result.reason.empty()) << result.detail;
  }
  EXPECT_GE(summary.acceptedShare(), 0.6);
  EXPECT_GE(summary.severalShare(), 0.5);
  EXPECT_LE(summary.illPosed, summary.cases / 50);
  EXPECT_GE(summary.exact, 10);
  EXPECT_GE(summary.mended, 10);
  int64_t rows = summary.coverage.rows().size();
  EXPECT_GE(rows, 240);
  EXPECT_GE(summary.coverage.met() * 100, rows * 75) << summary.json().dump(1);
  // They are of training, of functions outside, of windows and of edges, which
  // these models do not have.
  EXPECT_EQ(
      unseen(summary),
      (std::set<std::string>{
          "nn.attention_grad", "nn.conv", "nn.conv_grad_weight",
          "nn.conv_transpose", "nn.embedding_grad", "nn.exchange", "nn.hook",
          "nn.log_sum_exp", "nn.neighborhood_attention",
          "nn.neighborhood_attention_grad", "nn.normalize", "nn.pad_transpose",
          "nn.pool", "nn.pool_grad", "nn.scatter_sum"}));
}

/// Gradients of inputs and parameters as well. A case that is refused without
/// them has nothing to add.
TEST(Random, TwoHundredGradientsAgreeWithTheReference) {
  codegen::KernelCache cache;
  Summary summary;
  for (uint64_t number = 0; number < 200; ++number) {
    CaseResult result = runCase(/*seed=*/2, number, cache, summary.coverage,
                                {/*hasGradients=*/true});
    summary.add(result);
    EXPECT_NE(result.verdict, Verdict::Failed)
        << "hocket-random --seed 2 --gradients yes --only " << number << "\n"
        << result.detail << "\n"
        << result.text;
  }
  EXPECT_GE(summary.acceptedShare(), 0.6);
  EXPECT_GE(summary.severalShare(), 0.5);
  EXPECT_LE(summary.illPosed, summary.cases / 50);
}

/// What some of 300 cases have, and are equal.
static const char *const kFeatures[] = {
    "ranks | 1",
    "ranks | 2",
    "ranks | 3",
    "ranks | 4",
    "ranks | 6",
    "ranks | 8",
    "mesh | 2x2",
    "mesh | 2x3",
    "parts | even",
    "parts | even with remainder",
    "parts | of sizes",
    "parts | by weight",
    "parts | aligned",
    "parts | zigzag",
    "parts | striped",
    "parts | empty",
    "parts | of two axes nested",
    "split dims of one operation | 1",
    "split dims of one operation | 2",
    "op, split | convolution 1-D",
    "op, split | convolution 2-D",
    "op, split | convolution 3-D",
    "op, split | transposed convolution 1-D",
    "op, split | transposed convolution 2-D",
    "op, split | max pooling 2-D",
    "op, split | average pooling 2-D",
    "op, split | attention under a window",
    "op, split | neighborhood attention 1-D",
    "op, split | neighborhood attention 2-D",
    "op, split | neighborhood attention 3-D",
    "op, split | gather",
    "op, split | scatter_sum",
    "op, split | normalize",
    "op, split | mean",
    "op, split | sum",
    "op, split | pad",
    "op, split | slice",
    "op | GroupNorm",
    "op | InstanceNorm",
    "op | BatchNorm",
    "op | LayerNorm of several dims",
    "op | interpolate",
    "op | interpolate, linear",
    "op | interpolate, linear, corners aligned",
    "words | using neighbors",
    "words | using all_to_all",
    "words | using all_gather",
    "words | repartition",
    "words | using heads",
    "words | using sequence",
    "words | using ring",
    "words | overlap",
    "words | layers 2",
    "words | reach (",
    "words | statistics",
};

static void expectFeatures(const Summary &summary) {
  for (const char *feature : kFeatures)
    EXPECT_TRUE(summary.features.count(feature)) << feature;
  std::set<std::string> missing = unseen(summary);
  for (const char *name :
       {"nn.conv", "nn.conv_transpose", "nn.pool", "nn.pad", "nn.slice",
        "nn.neighborhood_attention", "nn.gather", "nn.scatter_sum"})
    EXPECT_FALSE(missing.count(name)) << name;
  for (auto &[row, count] : summary.coverage.rows())
    if (row.find("| S under windows") != std::string::npos)
      EXPECT_GT(count, 0) << row;
}

/// Convolutions, poolings, windowed and neighborhood attention, pads, crops,
/// interpolations and edges, and of every other case the gradients.
TEST(Random, ThreeHundredWindowsAgreeWithTheReference) {
  codegen::KernelCache cache;
  Summary summary;
  for (uint64_t number = 0; number < 300; ++number) {
    CaseKind kind{/*hasGradients=*/number % 2 == 1, /*isGrid=*/true};
    CaseResult result =
        runCase(/*seed=*/3, number, cache, summary.coverage, kind);
    summary.add(result);
    EXPECT_NE(result.verdict, Verdict::Failed)
        << "hocket-random --seed 3 --windows yes --gradients "
        << (kind.hasGradients ? "yes" : "no") << " --only " << number << "\n"
        << result.detail << "\n"
        << result.text;
  }
  EXPECT_GE(summary.acceptedShare(), 0.6);
  EXPECT_GE(summary.severalShare(), 0.5);
  EXPECT_LE(summary.illPosed, summary.cases / 50);
  EXPECT_GE(summary.wide, 20);
  expectFeatures(summary);
}

TEST(Random, CasesAreReproducible) {
  for (uint64_t number : {3, 50, 700})
    EXPECT_EQ(caseText(7, number), caseText(7, number));
  EXPECT_NE(caseText(7, 3), caseText(8, 3));
}

static std::string readCase(const std::filesystem::path &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A gradient that cancels is not the compiler's mistake: it is judged in
/// float64 as well, where parameters must be float64 too.
TEST(Random, WhatCancelsIsNoFailure) {
  codegen::KernelCache cache;
  std::string text =
      readCase(test::sourcePath("test/Random/IllPosed/cancelled-gradient.hkt"));
  CaseResult result = runText(text, /*isExact=*/false, /*seed=*/2846, cache,
                              nullptr, {/*hasGradients=*/true});
  EXPECT_NE(result.verdict, Verdict::Failed) << result.detail;
  EXPECT_GT(result.error, 0);
}

/// Nor is what overflows float32 on one device too, or even float64.
TEST(Random, WhatOverflowsIsNoFailure) {
  codegen::KernelCache cache;
  for (const char *name : {"overflow.hkt", "infinite-reference.hkt"}) {
    std::string text =
        readCase(std::string(test::sourcePath("test/Random/IllPosed/")) + name);
    bool withGradients = std::string(name) != "overflow.hkt";
    CaseResult result = runText(text, /*isExact=*/false, /*seed=*/8, cache,
                                nullptr, {withGradients});
    EXPECT_EQ(result.verdict, Verdict::IllPosed) << name << result.detail;
  }
}

/// A library adds its second product to the first one's, whose factors cross;
/// in float64 loops do.
TEST(Random, FactorsOfSumsMayCross) {
  codegen::KernelCache cache;
  std::string text = "hocket 1\nmodel Net() {\n"
                     "  a = Linear((p = 3, q = 2), 4)\n"
                     "  b = Linear((r = 2, s = 3), 4)\n"
                     "  forward(x: f32[2, 6]) { return a(x) + b(x) }\n}\n";
  CaseResult result =
      runText(text, /*isExact=*/false, /*seed=*/8, cache, nullptr,
              {/*hasGradients=*/true}, /*alsoWide=*/true);
  EXPECT_EQ(result.verdict, Verdict::Equal) << result.detail;
  EXPECT_TRUE(result.isWide);
}

/// What the tester found once stays found.
TEST(Random, FoundCasesAgreeWithTheReference) {
  codegen::KernelCache cache;
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           test::sourcePath("test/Random/Found"))) {
    std::string text = readCase(entry.path());
    bool drops = text.find("dropout") != std::string::npos;
    for (int run = 0; run < (drops ? 3 : 2); ++run) {
      CaseKind kind{/*hasGradients=*/run > 0};
      kind.isAttention = run == 2; // and so trains
      CaseResult result = runText(text, /*isExact=*/false,
                                  /*seed=*/8, cache, nullptr, kind);
      EXPECT_EQ(result.verdict, Verdict::Equal) << entry.path() << "\n"
                                                << result.detail;
    }
    ++count;
  }
  EXPECT_GE(count, 5);
}

/// The tester can fail: a case whose answer is wrong is told from one that is
/// merely refused.
TEST(Random, WrongTextIsNoRefusal) {
  codegen::KernelCache cache;
  std::string model = "hocket 1\nmodel Net() {\n  forward(x: f32[2]) {\n    "
                      "return y\n  }\n}\n";
  EXPECT_EQ(runText(model, false, 1, cache, nullptr).verdict, Verdict::Failed);
  model.replace(model.find("return y"), 8, "return x");
  std::string schedule = "schedule s for Net {\n  mesh (tp = 2)\n  sync output "
                         "fwd_post all_reduce over tp\n}\n";
  CaseResult refused =
      runText(model + "\n" + schedule, false, 1, cache, nullptr);
  EXPECT_EQ(refused.verdict, Verdict::Refused);
  EXPECT_EQ(refused.reason, "all_reduce at '...' has no effect: it gets a "
                            "value that is whole on AXIS already");
}

/// First proposals lead back to what was right; hocket-random --wrong yes.
TEST(Random, ProposalsLeadBack) {
  WrongSummary summary;
  for (uint64_t number = 0; number < 300 && summary.wrong < 15; ++number)
    summary.add(runWrong(/*seed=*/4, number));
  EXPECT_EQ(summary.wrong, 15);
  EXPECT_GE(10 * summary.good, 8 * summary.wrong) << summary.text();
  EXPECT_EQ(summary.unreadable, 0);
}
