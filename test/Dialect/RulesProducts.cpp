//===- RulesProducts.cpp - placement rules of products and attention ------===//

#include "NnProgram.h"
#include <gtest/gtest.h>

using hocket::test::reasonsOf;
using hocket::test::ruleOf;

namespace {

TEST(LinearRule, ContractsTheInDim) {
  EXPECT_EQ(
      ruleOf("nn.linear %0, %1", {"f32 b=2 in=3", "f32 out=4 in=3"}, "f32 2 4"),
      "0:b=2  1:out=4  2:in=3 sum | linear [0][2] linear [1][2] | "
      "[0][1]");
}

TEST(LinearRule, BiasJoinsTheSum) {
  EXPECT_EQ(ruleOf("nn.linear %0, %1, %2", {"f32 2 3", "f32 4 3", "f32 4"},
                   "f32 2 4"),
            "0:2  1:4  2:3 sum | linear [0][2] linear [1][2] addend [1] | "
            "[0][1]");
}

TEST(LinearRule, TransposedWeightHasInFirst) {
  EXPECT_EQ(ruleOf("nn.linear %0, %1 {transposed = true}",
                   {"f32 2 3", "f32 3 4"}, "f32 2 4"),
            "0:2  1:4  2:3 sum | linear [0][2] linear [2][1] | [0][1]");
}

TEST(LinearRule, FactorsOfAllAreRefinedTogether) {
  EXPECT_EQ(ruleOf("nn.linear %0, %1, %2",
                   {"f32 2 h=3*d=4", "f32 qkv=3*8 12", "f32 24"}, "f32 2 24"),
            "0:2  1:qkv=3  2:8  3:h=3 sum  4:d=4 sum | linear [0][3,4] "
            "linear [1,2][3,4] addend [1,2] | [0][1,2]");
}

TEST(LinearRule, CrossedFactorsAreWhole) {
  EXPECT_EQ(ruleOf("nn.linear %0, %1", {"f32 2 4*6", "f32 5 3*8"}, "f32 2 5"),
            "0:2  1:5  2:24 whole | linear [0][2] linear [1][2] | [0][1]");
}

TEST(LinearRule, TwoPartialsAreRefusedBecause) {
  EXPECT_EQ(reasonsOf("nn.linear %0, %1", {"f32 2 3", "f32 4 3"}, "f32 2 4"),
            "the product of two sums is not the sum of the products");
}

TEST(MatMulRule, BroadcastsLeadingDims) {
  EXPECT_EQ(ruleOf("nn.matmul %0, %1", {"f32 b=2 1 4 5", "f32 h=3 5 6"},
                   "f32 2 3 4 6"),
            "0:b=2  1:h=3  2:4  3:6  4:5 sum | linear [0][-1][2][4] "
            "linear [1][4][3] | [0][1][2][3]");
}

TEST(EmbeddingRule, SplitVocabularyGivesASum) {
  EXPECT_EQ(ruleOf("nn.embedding %0, %1", {"f32 vocab=9 e=4", "i32 b=2 s=3"},
                   "f32 2 3 4"),
            "0:b=2  1:s=3  2:e=4  3:vocab=9 sum | linear [3][2] "
            "refused [0][1] | [0][1][2]");
}

TEST(EmbeddingRule, RowsOfARankAreConsecutive) {
  EXPECT_EQ(ruleOf("nn.embedding %0, %1", {"f32 3*3 4", "i32 2"}, "f32 2 4"),
            "0:2  1:4  2:3 sum  3:3 whole | linear [2,3][1] refused [0] | "
            "[0][1]");
}

const char *attention = "nn.attention %0, %1, %2 {scale = 1.0 : f64}";

TEST(AttentionRule, KeysAndHeadDimAreWhole) {
  EXPECT_EQ(ruleOf(attention,
                   {"f32 b=2 h=3 s=5 d=4", "f32 2 3 t=7 4", "f32 2 3 7 e=6"},
                   "f32 2 3 5 6"),
            "0:b=2  1:h=3  2:s=5  3:t=7 whole  4:d=4 whole  5:e=6 | "
            "refused [0][1][2][4] refused [0][1][3][4] linear [0][1][3][5] | "
            "[0][1][2][5]");
}

TEST(AttentionRule, KeepHasBatchAndKeys) {
  EXPECT_EQ(ruleOf("nn.attention %0, %1, %2, %3 {scale = 1.0 : f64}",
                   {"f32 2 3 5 4", "f32 2 3 7 4", "f32 2 3 7 4", "i1 2 7"},
                   "f32 2 3 5 4"),
            "0:2  1:3  2:5  3:7 whole  4:4 whole  5:4 | "
            "refused [0][1][2][4] refused [0][1][3][4] linear [0][1][3][5] "
            "refused [0][3] | [0][1][2][5]");
}

TEST(AttentionRule, GroupsOfHeadsStayTogether) {
  EXPECT_EQ(ruleOf(attention,
                   {"f32 2 h=12 5 4", "f32 2 g=4 7 4", "f32 2 g=4 7 4"},
                   "f32 2 12 5 4"),
            "0:2  1:g=4  2:5  3:7 whole  4:4 whole  5:4 | "
            "refused [0][1]x3[2][4] refused [0][1][3][4] "
            "linear [0][1][3][5] | [0][1]x3[2][5]");
}

TEST(AttentionRule, GroupsOfFactoredHeads) {
  // Heads 12 as 2 x 6, kv heads 4: a border of q's factors lies between groups.
  EXPECT_EQ(ruleOf(attention, {"f32 2 2*6 5 4", "f32 2 4 7 4", "f32 2 4 7 4"},
                   "f32 2 12 5 4"),
            "0:2  1:2  2:2  3:5  4:7 whole  5:4 whole  6:4 | "
            "refused [0][1,2]x3[3][5] refused [0][1,2][4][5] "
            "linear [0][1,2][4][6] | [0][1,2]x3[3][6]");
}

TEST(AttentionRule, OneKvHead) {
  EXPECT_EQ(ruleOf(attention, {"f32 2 4 5 4", "f32 2 1 7 4", "f32 2 1 7 4"},
                   "f32 2 4 5 4"),
            "0:2  1:4  2:1 whole  3:5  4:7 whole  5:4 whole  6:4 | "
            "refused [0][1][3][5] refused [0][2][4][5] "
            "linear [0][2][4][6] | [0][1][3][6]");
}

TEST(AttentionRule, AGroupThatIsAFactorMayBeSplit) {
  EXPECT_EQ(ruleOf(attention,
                   {"f32 2 g=4*r=3 5 4", "f32 2 g=4 7 4", "f32 2 g=4 7 4"},
                   "f32 2 12 5 4"),
            "0:2  1:g=4  2:r=3  3:5  4:7 whole  5:4 whole  6:4 | "
            "refused [0][1,2][3][5] refused [0][1][4][5] "
            "linear [0][1][4][6] | [0][1,2][3][6]");
}

TEST(AttentionRule, FactorsThatCutGroupsNeedWholeKeys) {
  // Heads 12 as 6 x 2, kv heads 4: groups of 3 end inside of the pairs.
  EXPECT_EQ(ruleOf(attention, {"f32 2 6*2 5 4", "f32 2 4 7 4", "f32 2 4 7 4"},
                   "f32 2 12 5 4"),
            "0:2  1:6  2:2 whole  3:4 whole  4:5  5:7 whole  6:4 whole  "
            "7:4 | refused [0][1,2][4][6] refused [0][3][5][6] "
            "linear [0][3][5][7] | [0][1,2][4][7]");
  EXPECT_NE(
      reasonsOf(attention, {"f32 2 6*2 5 4", "f32 2 4 7 4", "f32 2 4 7 4"},
                "f32 2 12 5 4")
          .find("the factors of the heads of q cut through a group of heads "
                "that share keys and values"),
      std::string::npos);
}

TEST(AttentionRule, CausalQueriesOfARankAreConsecutive) {
  EXPECT_EQ(ruleOf("nn.attention %0, %1, %2 {scale = 1.0 : f64, causal = true}",
                   {"f32 2 3 2*4 4", "f32 2 3 8 4", "f32 2 3 8 4"},
                   "f32 2 3 8 4"),
            "0:2  1:3  2:2  3:4 whole  4:8 whole  5:4 whole  6:4 | "
            "refused [0][1][2,3][5] refused [0][1][4][5] "
            "linear [0][1][4][6] | [0][1][2,3][6]");
}

TEST(AttentionRule, RefusesBecause) {
  EXPECT_EQ(
      reasonsOf(attention, {"f32 2 3 5 4", "f32 2 3 7 4", "f32 2 3 7 4"},
                "f32 2 3 5 4"),
      "attention weights of a sum are not the sum of the attention weights; "
      "the softmax over the keys needs all of them; "
      "the product of a query and a key needs the whole head dim");
}

TEST(NormRules, StatisticsOverTheLastDim) {
  EXPECT_EQ(ruleOf("nn.layer_norm %0, %1, %2 {eps = 1.0 : f64}",
                   {"f32 b=2 e=6", "f32 6", "f32 2*3"}, "f32 2 6"),
            "0:b=2  1:2 statistics  2:3 statistics | refused [0][1,2] "
            "refused [1,2] refused [1,2] | [0][1,2]");
  EXPECT_EQ(ruleOf("nn.rms_norm %0, %1 {eps = 1.0 : f64}", {"f32 2 6", "f32 6"},
                   "f32 2 6"),
            "0:2  1:6 statistics | refused [0][1] refused [1] | [0][1]");
  EXPECT_EQ(reasonsOf("nn.layer_norm %0, %1 {eps = 1.0 : f64}",
                      {"f32 2 6", "f32 6"}, "f32 2 6"),
            "layer_norm of a sum is not the sum of layer_norms; "
            "layer_norm needs the whole dim for its statistics");
}

TEST(NormRules, SoftmaxOverItsDim) {
  EXPECT_EQ(ruleOf("nn.softmax %0 {dim = 0}", {"f32 2 6"}, "f32 2 6"),
            "0:2 statistics  1:6 | refused [0][1] | [0][1]");
  EXPECT_EQ(reasonsOf("nn.softmax %0 {dim = 0}", {"f32 2 6"}, "f32 2 6"),
            "softmax of a sum is not the sum of softmaxes; "
            "softmax needs the whole dim for its statistics");
}

TEST(RotaryRule, PositionsSplitPairsStayTogether) {
  EXPECT_EQ(ruleOf("nn.rotary %0 {dim = 1, base = 1.0e4 : f64, style = "
                   "#nn.rotary_style<half>}",
                   {"f32 2 s=3*4 d=6"}, "f32 2 12 6"),
            "0:2  1:s=3  2:4 whole  3:d=6 whole | linear [0][1,2][3] | "
            "[0][1,2][3]");
}

} // namespace
