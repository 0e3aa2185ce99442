//===- IntegersTest.cpp - integers are exact and wrap around --------------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"

using namespace hocket::test;

static Outcome binary(const std::string &kind, const std::string &element,
                      const Values &a, const Values &b) {
  int64_t size = a.size();
  std::string type = std::to_string(size) + "x" + element;
  return evaluateOp("nn.binary \"" + kind + "\" %0, %1", {type, type}, type,
                    {{{size}, a}, {{size}, b}});
}

TEST(ReferenceIntegers, Arithmetic) {
  const Values a = {7, -7, 7}, b = {2, 2, 0};
  for (const char *element : {"i32", "i64"}) {
    expectClose(binary("add", element, a, b), {9, -5, 7});
    expectClose(binary("sub", element, a, b), {5, -9, 7});
    expectClose(binary("mul", element, a, b), {14, -14, 0});
    expectClose(binary("div", element, a, b), {3, -3, 0});
    expectClose(binary("maximum", element, a, b), {7, 2, 7});
  }
}

TEST(ReferenceIntegers, Powers) {
  expectClose(binary("pow", "i32", {3, -3, 2, -1, 5}, {4, 3, 31, -3, -1}),
              {81, -27, -2147483648.0, -1, 0});
}

TEST(ReferenceIntegers, WrapAround) {
  const double largest = 2147483647, smallest = -2147483648.0;
  expectClose(binary("add", "i32", {largest}, {1}), {smallest});
  expectClose(binary("sub", "i32", {smallest}, {1}), {largest});
  expectClose(binary("mul", "i32", {65537}, {65537}), {131073});
  expectClose(binary("div", "i32", {smallest}, {-1}), {smallest});
  expectClose(
      evaluateOp("nn.unary abs %0", {"1xi32"}, "1xi32", {{{1}, {smallest}}}),
      {smallest});
  expectClose(binary("add", "i64", {largest}, {1}), {2147483648.0});
}

// 2^53 + 1 is the first whole number that a double does not hold.
TEST(ReferenceIntegers, ResultsBeyondDoubles) {
  const double big = 9007199254740992.0;
  expectClose(binary("add", "i64", {big}, {2}), {big + 2});
  EXPECT_EQ(binary("add", "i64", {big}, {1}).error,
            "nn.binary: the result 9007199254740993 is an integer that "
            "float64, in which the reference computes, cannot hold");
}

TEST(ReferenceIntegers, Reductions) {
  Tensor x = {{2, 2}, {2147483647, 1, -5, -7}};
  expectClose(evaluateOp("nn.reduce sum %0 {dims = array<i64: 1>}", {"2x2xi32"},
                         "2xi32", {x}),
              {-2147483648.0, -12});
  expectClose(evaluateOp("nn.reduce max %0 {dims = array<i64: 1>}", {"2x2xi32"},
                         "2xi32", {x}),
              {2147483647, -5});
}
