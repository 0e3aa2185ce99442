//===- RulesShapes.cpp - placement rules of sources, sums and reshapes ----===//

#include "NnProgram.h"
#include <gtest/gtest.h>

using hocket::test::reasonsOf;
using hocket::test::ruleOf;

namespace {

TEST(SourceRules, AnyRankComputesItsPart) {
  EXPECT_EQ(ruleOf("nn.fill {value = 1.0 : f64}", {}, "f32 a=2 3"),
            "0:a=2  1:3 | | [0][1]");
  EXPECT_EQ(ruleOf("nn.iota {dim = 1}", {}, "i32 2*2 3*4"),
            "0:2  1:2  2:3  3:4 whole | | [0,1][2,3]");
}

TEST(ValueRule, PassesEverything) {
  EXPECT_EQ(
      ruleOf("nn.value binding \"q\" %0", {"f32 h=2*d=3 4"}, "f32 2*3 n=4"),
      "0:h=2  1:d=3  2:n=4 | any [0,1][2] | [0,1][2]");
}

TEST(ReduceRule, SumsOverSplitDims) {
  EXPECT_EQ(ruleOf("nn.reduce sum %0 {dims = array<i64: 0>}", {"f32 a=2 b=3"},
                   "f32 3"),
            "0:a=2 sum  1:b=3 | linear [0][1] | [1]");
  EXPECT_EQ(ruleOf("nn.reduce mean %0 {dims = array<i64: 1>, keepdim = "
                   "true}",
                   {"f32 2 3*4"}, "f32 2 1"),
            "0:2  1:3 sum  2:4 sum | linear [0][1,2] | [0][-1]");
}

TEST(ReduceRule, MaximaOverSplitDims) {
  EXPECT_EQ(
      ruleOf("nn.reduce max %0 {dims = array<i64: 0, 1>}", {"f32 2 3"}, "f32"),
      "0:2 max  1:3 max | maximal [0][1] | ");
  EXPECT_EQ(
      reasonsOf("nn.reduce max %0 {dims = array<i64: 0>}", {"f32 2"}, "f32"),
      "the max of a sum is not the sum of the maxima");
}

TEST(ReduceRule, MinimaOverSplitDims) {
  EXPECT_EQ(
      ruleOf("nn.reduce min %0 {dims = array<i64: 1>}", {"f32 2 3"}, "f32 2"),
      "0:2  1:3 min | minimal [0][1] | [0]");
  EXPECT_EQ(
      reasonsOf("nn.reduce min %0 {dims = array<i64: 0>}", {"f32 2"}, "f32"),
      "the min of a sum is not the sum of the minima");
}

TEST(PoolRule, IndicesAreOfCompleteValues) {
  EXPECT_EQ(
      reasonsOf(
          "nn.pool %0 {kind = #nn.pool_kind<max_index>, taps = array<i64: 2>, "
          "strides = array<i64: 2>, dilations = array<i64: 1>, "
          "lows = array<i64: 0>, highs = array<i64: 0>, "
          "extras = array<i64: 0>}",
          {"f32 1 1 4"}, "i64 1 1 2"),
      "the place of the largest of sums is not that of the largest of "
      "their terms");
}

TEST(RearrangeRule, MovesFactors) {
  // "b s (h d) -> b h s d"
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[2] [5] [h=3 d=4]>, "
                   "order = [[0], [2], [1], [3]]}",
                   {"f32 b=2 s=5 12"}, "f32 2 3 5 4"),
            "0:b=2  1:s=5  2:h=3  3:d=4 | any [0][1][2,3] | [0][2][1][3]");
}

TEST(RearrangeRule, JoinsFactors) {
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[2] [3] [4]>, "
                   "order = [[2], [0, 1]]}",
                   {"f32 2 3 4"}, "f32 4 2*3"),
            "0:2  1:3  2:4 | any [0][1][2] | [2][0,1]");
}

TEST(RearrangeRule, TakesFinerFactorsOfOperandAndResult) {
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[2] [24]>, "
                   "order = [[1], [0]]}",
                   {"f32 2 h=6*d=4"}, "f32 2*12 2"),
            "0:2  1:2  2:3  3:d=4 | any [0][1,2,3] | [1,2,3][0]");
}

TEST(RearrangeRule, CrossedFactorsAreWhole) {
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[3 8]>, "
                   "order = [[0], [1]]}",
                   {"f32 4*6"}, "f32 3 8"),
            "0:3 whole  1:8 whole | any [0,1] | [0][1]");
}

TEST(RearrangeRule, DimsOfSizeOne) {
  // "1 a -> a 1 1": the batch of 1 stays one index, a new dim has none.
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[b=1] [a=3]>, "
                   "order = [[1], [0], []]}",
                   {"f32 1 3"}, "f32 3 1 1"),
            "0:b=1  1:a=3 | any [0][1] | [1][0][-1]");
}

TEST(RearrangeRule, OneThatVanishesIsWhole) {
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[b=1] [a=3]>, "
                   "order = [[0, 1]]}",
                   {"f32 1 3"}, "f32 3"),
            "0:b=1 whole  1:a=3 | any [0][1] | [1]");
  EXPECT_EQ(ruleOf("nn.rearrange %0 {source = #nn.layout<[b=1] [a=3]>, "
                   "order = [[1]]}",
                   {"f32 1 3"}, "f32 3"),
            "0:b=1 whole  1:a=3 | any [0][1] | [1]");
}

TEST(SliceRule, ADimOfOneFactorIsUnderWindows) {
  EXPECT_EQ(ruleOf("nn.slice %0 {dim = 1, start = 1, size = 2}",
                   {"f32 a=2 b=5"}, "f32 2 2"),
            "0:a=2  1:b=5  2:2 | any [0][1] | [0][2]");
  EXPECT_EQ(ruleOf("nn.slice %0 {dim = 0, start = 0, size = 1, drop = true}",
                   {"f32 a=2 b=5"}, "f32 5"),
            "0:a=2 whole  1:b=5 | any [0][1] | [1]");
}

TEST(SliceRule, CompleteSlicesPass) {
  EXPECT_EQ(ruleOf("nn.slice %0 {dim = 1, start = 0, size = 5}", {"f32 2 5"},
                   "f32 2 5"),
            "0:2  1:5 | any [0][1] | [0][1]");
}

TEST(SliceRule, MinorFactorsPass) {
  // The queries of stacked (qkv heads head_dim).
  EXPECT_EQ(ruleOf("nn.slice %0 {dim = 0, start = 12, size = 12}",
                   {"f32 qkv=3*h=3*d=4"}, "f32 h=3*d=4"),
            "0:qkv=3 whole  1:h=3  2:d=4 | any [0,1,2] | [1,2]");
  EXPECT_EQ(ruleOf("nn.slice %0 {dim = 0, start = 12, size = 24}",
                   {"f32 qkv=3*h=3*d=4"}, "f32 qkv=2*h=3*d=4"),
            "0:qkv=3 whole  1:qkv=2 whole  2:h=3  3:d=4 | any [0,2,3] | "
            "[1,2,3]");
  EXPECT_EQ(ruleOf("nn.slice %0 {dim = 0, start = 4, size = 12}",
                   {"f32 qkv=3*h=3*d=4"}, "f32 12"),
            "0:qkv=3 whole  1:h=3 whole  2:d=4 whole  3:12 whole | "
            "any [0,1,2] | [3]");
}

TEST(ConcatRule, TheDimIsWholeOthersPass) {
  EXPECT_EQ(
      ruleOf("nn.concat %0, %1 {dim = 1}", {"f32 a=2 3", "f32 2 4"}, "f32 2 7"),
      "0:a=2  1:7 whole  2:3 whole  3:4 whole | addend [0][2] "
      "addend [0][3] | [0][1]");
}

TEST(ConcatRule, EqualMinorFactorsPass) {
  EXPECT_EQ(
      ruleOf("nn.concat %0, %1 {dim = 0}", {"f32 1*h=4", "f32 2*4"}, "f32 3*4"),
      "0:3 whole  1:1 whole  2:2 whole  3:h=4 | addend [1,3] "
      "addend [2,3] | [0,3]");
}

TEST(ConcatRule, OneTensorPasses) {
  EXPECT_EQ(ruleOf("nn.concat %0 {dim = 0}", {"f32 2"}, "f32 2"),
            "0:2 | addend [0] | [0]");
}

TEST(BroadcastRule, NewDimsAreMadeAnywhere) {
  EXPECT_EQ(ruleOf("nn.broadcast %0", {"f32 1 3"}, "f32 4 2 3"),
            "0:4  1:2  2:3 | any [-1][2] | [0][1][2]");
}

} // namespace
