//===- ElementwiseTest.cpp - every element-wise operation as a kernel -----===//

#include "KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using hocket::test::check;
using hocket::test::RunOptions;

static std::string unaryOf(const std::string &kind, const std::string &type) {
  return "(%x: " + type + ") -> " + type + " { %y = nn.unary \"" + kind +
         "\" %x : (" + type + ") -> " + type + " return %y : " + type + " }";
}

static std::string binaryOf(const std::string &kind, const std::string &a,
                            const std::string &b, const std::string &y) {
  return "(%a: " + a + ", %b: " + b + ") -> " + y + " { %y = nn.binary \"" +
         kind + "\" %a, %b : (" + a + ", " + b + ") -> " + y +
         " return %y : " + y + " }";
}

TEST(Elementwise, unaryFunctionsInF32) {
  for (const char *kind : {"gelu", "gelu_tanh", "silu", "relu", "sigmoid",
                           "tanh", "exp", "erf", "abs", "neg"}) {
    RunOptions wide;
    wide.low = -9;
    wide.high = 9;
    wide.floor = 1e-5;
    check(unaryOf(kind, "$7x1001xf32"), wide);
  }
  RunOptions positive;
  positive.low = 1e-3;
  positive.high = 50;
  for (const char *kind : {"log", "sqrt", "rsqrt"})
    check(unaryOf(kind, "$7x1001xf32"), positive);
}

TEST(Elementwise, sinAndCosAreExactFarOut) {
  RunOptions far;
  far.low = -1e5;
  far.high = 1e5;
  for (const char *kind : {"sin", "cos"})
    check(unaryOf(kind, "$1001xf32"), far);
}

TEST(Elementwise, unaryFunctionsInF64) {
  RunOptions exact;
  exact.tolerance = 1e-12;
  exact.low = 0.1;
  exact.high = 9;
  for (const char *kind :
       {"gelu", "gelu_tanh", "silu", "relu", "sigmoid", "tanh", "exp", "erf",
        "abs", "neg", "log", "sqrt", "rsqrt", "sin", "cos"})
    check(unaryOf(kind, "$3x37xf64"), exact);
}

TEST(Elementwise, infinitiesAndNan) {
  RunOptions special;
  special.element = [](int, int64_t n, double random) {
    switch (n % 4) {
    case 0:
      return std::numeric_limits<double>::infinity();
    case 1:
      return -std::numeric_limits<double>::infinity();
    case 2:
      return std::numeric_limits<double>::quiet_NaN();
    }
    return random;
  };
  for (const char *kind : {"sigmoid", "tanh", "exp", "erf", "abs", "neg"})
    check(unaryOf(kind, "$65xf32"), special);
  special.element = [](int, int64_t n, double random) {
    return n % 3 ? random : -std::numeric_limits<double>::infinity();
  };
  for (const char *kind : {"maximum", "minimum", "add", "mul"})
    check(binaryOf(kind, "$65xf32", "$65xf32", "$65xf32"), special);
}

TEST(Elementwise, binaryFunctions) {
  for (const char *type : {"f32", "f64", "i32", "i64"}) {
    std::string t = std::string("$5x17x") + type;
    RunOptions options;
    options.element = [](int i, int64_t, double random) {
      return i == 1 && std::abs(random) < 1 ? 2 : random;
    };
    for (const char *kind : {"add", "sub", "mul", "div", "maximum", "minimum"})
      check(binaryOf(kind, t, t, t), options);
    for (const char *kind : {"eq", "ne", "lt", "le", "gt", "ge"})
      check(binaryOf(kind, t, t, "$5x17xi1"), options);
  }
  for (const char *kind : {"and", "or", "eq", "ne"})
    check(binaryOf(kind, "$77xi1", "$77xi1", "$77xi1"));
}

TEST(Elementwise, powers) {
  RunOptions positive;
  positive.low = 0.1;
  check(binaryOf("pow", "$33xf32", "$33xf32", "$33xf32"), positive);
  RunOptions whole; // bases of either sign, negative exponents as well
  whole.low = -6;
  whole.high = 7;
  whole.element = [](int i, int64_t n, double random) {
    return i == 0 && std::trunc(random) == 0 ? 1 : random;
  };
  check(binaryOf("pow", "$99xi32", "$99xi32", "$99xi32"), whole);
  check(binaryOf("pow", "$99xi64", "$99xi64", "$99xi64"), whole);
  for (const char *exponent : {"1.0", "2.0", "3.0", "4.0", "0.5", "-1.5"})
    check(std::string("(%x: $33xf32) -> $33xf32 { %n = nn.fill {value = ") +
              exponent + R"( : f64} : () -> $f32
            %y = nn.binary pow %x, %n : ($33xf32, $f32) -> $33xf32
            return %y : $33xf32 })",
          positive);
}

TEST(Elementwise, broadcasting) {
  check(binaryOf("add", "$4x1x9xf32", "$7x1xf32", "$4x7x9xf32"));
  check(binaryOf("mul", "$f32", "$4x7xf32", "$4x7xf32"));
  check(binaryOf("sub", "$f32", "$f32", "$f32"));
  check(R"((%c: $4x1xi1, %a: $9xf32, %b: $4x9xf32) -> $4x9xf32 {
    %y = nn.where %c, %a, %b : ($4x1xi1, $9xf32, $4x9xf32) -> $4x9xf32
    return %y : $4x9xf32 })");
  check(R"((%x: $3x1xf32) -> $2x3x5xf32 {
    %y = nn.broadcast %x : ($3x1xf32) -> $2x3x5xf32
    return %y : $2x3x5xf32 })");
}

TEST(Elementwise, casts) {
  const char *types[] = {"f32", "f64", "f16", "bf16", "i32", "i64", "i1"};
  for (std::string from : types)
    for (std::string to : types) {
      RunOptions options;
      options.tolerance = to == "f16" || from == "f16" ? 1e-3 : 1e-5;
      options.tolerance = to == "bf16" || from == "bf16" ? 1e-2 : 1e-6;
      check("(%x: $3x11x" + from + ") -> $3x11x" + to +
                " { %y = nn.cast %x : ($3x11x" + from + ") -> $3x11x" + to +
                " return %y : $3x11x" + to + " }",
            options);
    }
}

TEST(Elementwise, halfPrecisionRoundsAtCasts) {
  for (std::string narrow : {"f16", "bf16"}) {
    RunOptions exact;
    exact.tolerance = 0;
    check("(%x: $99xf32) -> $99xf32 { %a = nn.cast %x : ($99xf32) -> $99x" +
              narrow + " %b = nn.cast %a : ($99x" + narrow +
              ") -> $99xf32 return %b : $99xf32 }",
          exact);
  }
}

TEST(Elementwise, narrowCpusHaveNoBf16Instructions) {
  RunOptions old;
  old.cpu = "x86-64-v3";
  old.tolerance = 1e-2;
  check(unaryOf("gelu", "$5x33xbf16"), old);
  check(unaryOf("gelu", "$5x33xf16"), old);
}

TEST(Elementwise, biasAndGelu) {
  check(R"((%x: $5x33xf32, %b: $33xf32) -> $5x33xf32 {
    %s = nn.binary add %x, %b : ($5x33xf32, $33xf32) -> $5x33xf32
    %y = nn.unary gelu %s : ($5x33xf32) -> $5x33xf32
    return %y : $5x33xf32 })");
}

TEST(Elementwise, emptyAndSingle) {
  check(unaryOf("exp", "$0x5xf32"));
  check(unaryOf("exp", "$5x0xf32"));
  check(unaryOf("exp", "$1xf32"));
  check(unaryOf("exp", "$1x1x1xf32"));
}

TEST(Elementwise, integerDivisionNeverTraps) {
  RunOptions options;
  options.element = [](int i, int64_t n, double random) {
    return i == 1 ? double(n % 3 - 1) : random;
  };
  check(binaryOf("div", "$33xi32", "$33xi32", "$33xi32"), options);
  check(binaryOf("div", "$33xi64", "$33xi64", "$33xi64"), options);
}
