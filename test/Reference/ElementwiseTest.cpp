//===- ElementwiseTest.cpp - unary, binary, where and cast on reals -------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hocket::test;

static Outcome unary(const std::string &kind, const Values &x,
                     const std::string &element = "f32") {
  std::string type = std::to_string(x.size()) + "x" + element;
  return evaluateOp("nn.unary \"" + kind + "\" %0", {type}, type,
                    {{{int64_t(x.size())}, x}});
}

static Outcome binary(const std::string &kind, const Values &a, const Values &b,
                      const std::string &resultElement = "f32") {
  int64_t size = a.size();
  std::string shape = std::to_string(size) + "x";
  return evaluateOp("nn.binary \"" + kind + "\" %0, %1",
                    {shape + "f32", shape + "f32"}, shape + resultElement,
                    {{{size}, a}, {{size}, b}});
}

// torch.<kind> or torch.nn.functional.<kind> of x
TEST(ReferenceElementwise, Unary) {
  struct {
    const char *kind;
    Values expected;
  } cases[] = {
      {"gelu",
       {-0.00404969409489031, -0.154268769362993, 0, 0.149676581420731,
        1.95449973610364}},
      {"gelu_tanh",
       {-0.00363739208177299, -0.154285990174856, 0, 0.149675350701685,
        1.95459769408777}},
      {"silu",
       {-0.1422776195327, -0.188770334399073, 0, 0.14054412522145,
        1.76159415595576}},
      {"relu", {0, 0, 0, 0.25, 2}},
      {"sigmoid",
       {0.0474258731775668, 0.377540668798145, 0.5, 0.562176500885798,
        0.880797077977882}},
      {"tanh",
       {-0.99505475368673, -0.46211715726001, 0, 0.244918662403709,
        0.964027580075817}},
      {"exp",
       {0.0497870683678639, 0.606530659712633, 1, 1.28402541668774,
        7.38905609893065}},
      {"erf",
       {-0.999977909503001, -0.520499877813047, 0, 0.276326390168237,
        0.995322265018953}},
      {"abs", {3, 0.5, 0, 0.25, 2}},
      {"neg", {3, 0.5, -0, -0.25, -2}},
      {"sin",
       {-0.141120008059867, -0.479425538604203, 0, 0.247403959254523,
        0.909297426825682}},
      {"cos",
       {-0.989992496600445, 0.877582561890373, 1, 0.968912421710645,
        -0.416146836547142}},
  };
  for (const auto &test : cases) {
    SCOPED_TRACE(test.kind);
    expectClose(unary(test.kind, {-3, -0.5, 0, 0.25, 2}), test.expected);
  }
}

TEST(ReferenceElementwise, UnaryOfPositives) {
  const Values x = {0.25, 1, 3};
  expectClose(unary("log", x), {-1.38629436111989, 0, 1.09861228866811});
  expectClose(unary("sqrt", x), {0.5, 1, 1.73205080756888});
  expectClose(unary("rsqrt", x), {2, 1, 0.577350269189626});
}

// gelu(-10) = -5 erfc(10 / sqrt 2) = -7.6198530241605e-23, which 1 + erf(x)
// would round to 0.
TEST(ReferenceElementwise, GeluKeepsItsTail) {
  Values y = unary("gelu", {-10}).values();
  EXPECT_NEAR(y.at(0) / -7.6198530241605e-23, 1, 1e-12);
}

TEST(ReferenceElementwise, Not) {
  expectClose(unary("not", {0, 1}, "i1"), {1, 0});
}

TEST(ReferenceElementwise, Binary) {
  const Values a = {3, -2, 0.5}, b = {2, 4, -0.5};
  expectClose(binary("add", a, b), {5, 2, 0});
  expectClose(binary("sub", a, b), {1, -6, 1});
  expectClose(binary("mul", a, b), {6, -8, -0.25});
  expectClose(binary("div", a, b), {1.5, -0.5, -1});
  expectClose(binary("pow", a, b), {9, 16, std::sqrt(2)});
  expectClose(binary("maximum", a, b), {3, 4, 0.5});
  expectClose(binary("minimum", a, b), {2, -2, -0.5});
}

TEST(ReferenceElementwise, Comparisons) {
  const Values a = {1, 2, 3}, b = {2, 2, 2};
  expectClose(binary("eq", a, b, "i1"), {0, 1, 0});
  expectClose(binary("ne", a, b, "i1"), {1, 0, 1});
  expectClose(binary("lt", a, b, "i1"), {1, 0, 0});
  expectClose(binary("le", a, b, "i1"), {1, 1, 0});
  expectClose(binary("gt", a, b, "i1"), {0, 0, 1});
  expectClose(binary("ge", a, b, "i1"), {0, 1, 1});
}

TEST(ReferenceElementwise, MaximumAndMinimumOfNaN) {
  for (const char *kind : {"maximum", "minimum"})
    for (double value : binary(kind, {NAN, 1}, {1, NAN}).values())
      EXPECT_TRUE(std::isnan(value)) << kind;
}

TEST(ReferenceElementwise, BoolsTogether) {
  Tensor a = {{4}, {0, 0, 1, 1}}, b = {{4}, {0, 1, 0, 1}};
  expectClose(
      evaluateOp("nn.binary and %0, %1", {"4xi1", "4xi1"}, "4xi1", {a, b}),
      {0, 0, 0, 1});
  expectClose(
      evaluateOp("nn.binary or %0, %1", {"4xi1", "4xi1"}, "4xi1", {a, b}),
      {0, 1, 1, 1});
}

TEST(ReferenceElementwise, BothSidesBroadcast) {
  expectClose(evaluateOp("nn.binary sub %0, %1", {"2x1xf32", "3xf32"},
                         "2x3xf32", {{{2, 1}, {10, 20}}, {{3}, {1, 2, 3}}}),
              {9, 8, 7, 19, 18, 17});
  expectClose(evaluateOp("nn.binary mul %0, %1", {"f32", "3xf32"}, "3xf32",
                         {{{}, {2}}, {{3}, {1, 2, 3}}}),
              {2, 4, 6});
}

TEST(ReferenceElementwise, Where) {
  expectClose(evaluateOp("nn.where %0, %1, %2", {"2xi1", "2x2xf32", "f32"},
                         "2x2xf32",
                         {{{2}, {1, 0}}, {{2, 2}, {1, 2, 3, 4}}, {{}, {-1}}}),
              {1, -1, 3, -1});
}

TEST(ReferenceElementwise, Dropout) {
  expectClose(evaluateOp("nn.dropout %0 {p = 0.5 : f64}", {"3xf32"}, "3xf32",
                         {{{3}, {1, 2, 3}}}),
              {1, 2, 3});
}

static Outcome castTo(const std::string &from, const std::string &to,
                      double value) {
  return evaluateOp("nn.cast %0", {"1x" + from}, "1x" + to, {{{1}, {value}}});
}

TEST(ReferenceCast, Numbers) {
  expectClose(castTo("f32", "i32", 2.9), {2});
  expectClose(castTo("f32", "i32", -2.9), {-2});
  expectClose(castTo("f32", "i1", 0.25), {1});
  expectClose(castTo("i32", "i1", 0), {0});
  expectClose(castTo("i1", "f32", 1), {1});
  expectClose(castTo("i64", "i32", 4294967298.0), {2});
  EXPECT_EQ(castTo("f64", "f16", 1e-9).values(), Values({1e-9}));
}

TEST(ReferenceCast, NumbersThatTheTypeDoesNotHave) {
  EXPECT_EQ(castTo("f32", "i32", 2147483647).error, "");
  EXPECT_EQ(castTo("f32", "i32", 2147483648.0).error,
            "nn.cast: cast of 2147483648.00 to i32, which has no such number");
  EXPECT_NE(castTo("f32", "i64", NAN).error, "");
}
