//===- RulesElementwise.cpp - placement rules of element-wise operations --===//

#include "NnProgram.h"
#include <gtest/gtest.h>

using hocket::test::reasonsOf;
using hocket::test::ruleOf;

namespace {

std::string unary(const std::string &kind, const std::string &element = "f32") {
  std::string type = element + " b=2 3";
  return ruleOf("nn.unary \"" + kind + "\" %0", {type}, type);
}

TEST(UnaryRule, OnlyNegationIsLinear) {
  EXPECT_EQ(unary("neg"), "0:b=2  1:3 | linear [0][1] | [0][1]");
}

TEST(UnaryRule, IncreasingFunctionsPassMaxima) {
  for (const char *kind : {"relu", "sigmoid", "tanh", "exp", "erf"})
    EXPECT_EQ(unary(kind), "0:b=2  1:3 | monotone [0][1] | [0][1]") << kind;
}

TEST(UnaryRule, OthersNeedTheCompleteValue) {
  for (const char *kind : {"gelu", "gelu_tanh", "silu", "log", "sqrt", "rsqrt",
                           "abs", "sin", "cos"})
    EXPECT_EQ(unary(kind), "0:b=2  1:3 | refused [0][1] | [0][1]") << kind;
  EXPECT_EQ(unary("not", "i1"), "0:b=2  1:3 | refused [0][1] | [0][1]");
  EXPECT_EQ(reasonsOf("nn.unary gelu %0", {"f32 2"}, "f32 2"),
            "gelu of a sum is not the sum of the gelu of its terms");
}

/// What partial a and b do: "addend addend".
std::string partials(const std::string &kind,
                     const std::string &element = "f32",
                     const std::string &result = "f32") {
  std::string rule = ruleOf("nn.binary \"" + kind + "\" %0, %1",
                            {element + " 3", element + " 3"}, result + " 3");
  std::string a = rule.substr(rule.find('|') + 2);
  std::string b = a.substr(a.find(']') + 2);
  return a.substr(0, a.find(' ')) + " " + b.substr(0, b.find(' '));
}

TEST(BinaryRule, WhatPartialsDo) {
  EXPECT_EQ(partials("add"), "addend addend");
  EXPECT_EQ(partials("sub"), "addend addend");
  EXPECT_EQ(partials("mul"), "linear linear");
  EXPECT_EQ(partials("div"), "linear refused");
  EXPECT_EQ(partials("div", "i32", "i32"), "refused refused");
  EXPECT_EQ(partials("pow"), "refused refused");
  EXPECT_EQ(partials("maximum"), "maximal maximal");
  EXPECT_EQ(partials("minimum"), "minimal minimal");
  for (const char *kind : {"eq", "ne", "lt", "le", "gt", "ge"})
    EXPECT_EQ(partials(kind, "f32", "i1"), "refused refused") << kind;
  EXPECT_EQ(partials("and", "i1", "i1"), "refused refused");
  EXPECT_EQ(partials("or", "i1", "i1"), "refused refused");
}

TEST(BinaryRule, BroadcastsAndRefines) {
  EXPECT_EQ(ruleOf("nn.binary add %0, %1", {"f32 b=2 1 12", "f32 s=5 h=3*4"},
                   "f32 2 5 12"),
            "0:b=2  1:s=5  2:h=3  3:4 | addend [0][-1][2,3] "
            "addend [1][2,3] | [0][1][2,3]");
}

TEST(BinaryRule, DimsOfSizeOneOnBothSidesAreOneIndex) {
  EXPECT_EQ(ruleOf("nn.binary add %0, %1", {"f32 b=1", "f32 1"}, "f32 1"),
            "0:b=1 | addend [0] addend [0] | [0]");
}

TEST(BinaryRule, RefusesBecause) {
  auto reason = [](const std::string &kind, const std::string &element) {
    return reasonsOf("nn.binary \"" + kind + "\" %0, %1",
                     {element + " 3", element + " 3"}, element + " 3");
  };
  EXPECT_EQ(reason("div", "f32"), "a quotient needs its complete denominator");
  EXPECT_EQ(reason("div", "i32"),
            "integer division of a partial sum rounds each term");
  EXPECT_EQ(reason("pow", "f32"),
            "a power of a sum is not the sum of the powers");
  EXPECT_EQ(reason("maximum", "f32"),
            "the maximum of sums is not the sum of the maxima");
  EXPECT_EQ(reason("add", "f32"), "terms of a maximum or minimum cannot be "
                                  "added one by one");
}

TEST(WhereRule, ConditionIsComplete) {
  EXPECT_EQ(
      ruleOf("nn.where %0, %1, %2", {"i1 3", "f32 2 3", "f32"}, "f32 2 3"),
      "0:2  1:3 | refused [1] addend [0][1] addend  | [0][1]");
}

std::string cast(const std::string &from, const std::string &to) {
  std::string rule = ruleOf("nn.cast %0", {from + " 3"}, to + " 3");
  rule = rule.substr(rule.find('|') + 2);
  return rule.substr(0, rule.find(' '));
}

TEST(CastRule, OnlyExactCastsPassSums) {
  EXPECT_EQ(cast("f16", "f32"), "any");
  EXPECT_EQ(cast("bf16", "f32"), "any");
  EXPECT_EQ(cast("f32", "f64"), "any");
  EXPECT_EQ(cast("f32", "f32"), "any");
  EXPECT_EQ(cast("f32", "bf16"), "monotone");
  EXPECT_EQ(cast("f64", "f32"), "monotone");
  EXPECT_EQ(cast("bf16", "f16"), "monotone");
  EXPECT_EQ(cast("f16", "bf16"), "monotone");
  EXPECT_EQ(cast("f32", "i32"), "refused");
  EXPECT_EQ(cast("i32", "f32"), "refused");
  EXPECT_EQ(cast("i32", "i64"), "refused");
  EXPECT_EQ(reasonsOf("nn.cast %0", {"f32 3"}, "f16 3"),
            "a narrowing cast of a partial sum rounds each term");
  EXPECT_EQ(reasonsOf("nn.cast %0", {"i32 3"}, "f32 3"),
            "a cast to or from integers needs the complete value");
}

TEST(DropoutRule, PassesSums) {
  EXPECT_EQ(ruleOf("nn.dropout %0 {p = 0.1 : f64}", {"f32 2 3"}, "f32 2 3"),
            "0:2  1:3 | linear [0][1] | [0][1]");
}

} // namespace
