//===- RulesGradients.cpp - placement rules of gradients ------------------===//

#include "NnProgram.h"
#include <gtest/gtest.h>

using hocket::test::reasonsOf;
using hocket::test::ruleOf;

namespace {

const char *attention =
    "nn.attention_grad %0, %1, %2, %3, %4, %5 {scale = 1.0 : f64}";

TEST(EmbeddingGradRule, IdsAreSummedAndRowsAreMadeAnywhere) {
  EXPECT_EQ(ruleOf("nn.embedding_grad %0, %1", {"i32 b=2 s=3", "f32 2 3 e=4"},
                   "f32 vocab=9 4"),
            "0:b=2 sum  1:s=3 sum  2:e=4  3:vocab=9 | refused [0][1] "
            "linear [0][1][2] | [3][2]");
}

TEST(EmbeddingGradRule, TypesAreThoseOfAnEmbedding) {
  auto rule = [](const char *ids, const char *dy, const char *table) {
    return ruleOf("nn.embedding_grad %0, %1", {ids, dy}, table);
  };
  EXPECT_EQ(rule("f32 2 3", "f32 2 3 4", "f32 9 4"), "refused");
  EXPECT_EQ(rule("i32 2 3", "f32 2 3 5", "f32 9 4"), "refused");
  EXPECT_EQ(rule("i32 2 3", "f64 2 3 4", "f32 9 4"), "refused");
  EXPECT_EQ(rule("i32 2 3", "f32 2 3 4", "f32 9 2 4"), "refused");
}

TEST(AttentionGradRule, QueriesAreMissingInTheGradientsOfKeys) {
  EXPECT_EQ(ruleOf(attention,
                   {"f32 b=2 h=3 s=5 d=4", "f32 2 3 t=7 4", "f32 2 3 7 e=6",
                    "f32 2 3 5 6", "f32 2 3 5 6", "f32 2 3 5"},
                   "f32 2 3 5 4; f32 2 3 7 4; f32 2 3 7 6"),
            "0:b=2  1:h=3  2:s=5  3:t=7 whole  4:d=4 whole  5:e=6 | "
            "refused [0][1][2][4] refused [0][1][3][4] refused [0][1][3][5] "
            "linear [0][1][2][5] refused [0][1][2][5] refused [0][1][2] | "
            "[0][1][2][4] [0][1][3][4] [0][1][3][5]");
}

TEST(AttentionGradRule, HeadsInsideAGroupAreMissingLikewise) {
  EXPECT_EQ(ruleOf(attention,
                   {"f32 2 g=2*r=3 5 4", "f32 2 g=2 7 4", "f32 2 2 7 4",
                    "f32 2 6 5 4", "f32 2 6 5 4", "f32 2 6 5"},
                   "f32 2 6 5 4; f32 2 2 7 4; f32 2 2 7 4"),
            "0:2  1:g=2  2:r=3  3:5  4:7 whole  5:4 whole  6:4 | "
            "refused [0][1,2][3][5] refused [0][1][4][5] refused [0][1][4][6] "
            "linear [0][1,2][3][6] refused [0][1,2][3][6] "
            "refused [0][1,2][3] | "
            "[0][1,2][3][5] [0][1][4][5] [0][1][4][6]");
}

TEST(AttentionGradRule, TypesAreThoseOfAttention) {
  std::vector<std::string> operands = {"f32 2 3 5 4", "f32 2 3 7 4",
                                       "f32 2 3 7 6", "f32 2 3 5 6",
                                       "f32 2 3 5 6", "f32 2 3 5"};
  std::string results = "f32 2 3 5 4; f32 2 3 7 4; f32 2 3 7 6";
  EXPECT_NE(ruleOf(attention, operands, results), "refused");
  EXPECT_EQ(
      ruleOf(attention, operands, "f32 2 3 5 4; f32 2 3 7 4; f32 2 3 7 4"),
      "refused");
  for (auto [operand, wrong] :
       {std::pair(3, "f32 2 3 5 4"), {4, "f32 2 3 5 4"}, {5, "f32 2 3"}}) {
    std::vector<std::string> changed = operands;
    changed[operand] = wrong;
    EXPECT_EQ(ruleOf(attention, changed, results), "refused");
  }
}

TEST(LogSumExpRule, TheDimIsOfStatistics) {
  EXPECT_EQ(ruleOf("nn.log_sum_exp %0 {dim = 1 : i64}", {"f32 b=2 v=9 s=3"},
                   "f32 2 3"),
            "0:b=2  1:v=9 statistics  2:s=3 | refused [0][1][2] | [0][2]");
  EXPECT_EQ(reasonsOf("nn.log_sum_exp %0 {dim = 0 : i64}", {"f32 9"}, "f32"),
            "log_sum_exp of a sum is not the sum of log_sum_exps; log_sum_exp "
            "needs the whole dim for its statistics");
  EXPECT_EQ(ruleOf("nn.log_sum_exp %0 {dim = 1 : i64}", {"f32 9"}, "f32"),
            "refused");
}

} // namespace
