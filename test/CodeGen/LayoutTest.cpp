//===- LayoutTest.cpp - strides, rearranges, slices, concatenations -------===//

#include "KernelHarness.h"
#include <gtest/gtest.h>

using hocket::test::check;
using hocket::test::RunOptions;

static const char *addOf23x34 =
    R"((%a: $23x34xf32, %b: $23x34xf32) -> $23x34xf32 {
  %y = nn.binary add %a, %b : ($23x34xf32, $23x34xf32) -> $23x34xf32
  return %y : $23x34xf32 })";

TEST(Layout, paddedAndTransposedStrides) {
  RunOptions options;
  options.inputStrides = {{40, 1}, {1, 23}};
  options.outputStrides = {{34, 1}};
  check(addOf23x34, options);
  options.outputStrides = {{1, 30}};
  check(addOf23x34, options);
  options.inputStrides = {{0, 1}, {1, 0}};
  check(addOf23x34, options);
}

TEST(Layout, stridesByFactor) {
  // q of a fused [b, s, (3, h, d)] projection, written as [b, h, s, d].
  RunOptions options;
  options.inputStrides = {{5 * 36, 36, 4, 1}, {4, 1}};
  options.outputStrides = {{60, 4, 20, 1}};
  check(R"((%x: $2x5x(3,4)xf32, %b: $(3,4)xf32) -> $2x5x(3,4)xf32 {
    %y = nn.binary add %x, %b : ($2x5x(3,4)xf32, $(3,4)xf32) -> $2x5x(3,4)xf32
    return %y : $2x5x(3,4)xf32 })",
        options);
}

TEST(Layout, largeTransposeRunsInBlocks) {
  RunOptions options;
  options.inputStrides = {{1, 192}, {320, 1}};
  options.outputStrides = {{320, 1}};
  check(R"((%a: $192x320xf32, %b: $192x320xf32) -> $192x320xf32 {
    %y = nn.binary add %a, %b : ($192x320xf32, $192x320xf32) -> $192x320xf32
    return %y : $192x320xf32 })",
        options);
}

TEST(Layout, softmaxOfTransposedInput) {
  RunOptions options;
  options.inputStrides = {{1, 23}};
  options.outputStrides = {{34, 1}};
  for (const char *dim : {"0", "1"})
    check(std::string("(%x: $23x34xf32) -> $23x34xf32 { %y = nn.softmax %x "
                      "{dim = ") +
              dim +
              " : i64} : ($23x34xf32) -> $23x34xf32 "
              "return %y : $23x34xf32 }",
          options);
}

TEST(Layout, factorsOfDifferentOperandsMeet) {
  check(R"((%x: $2x(3,4)xf32, %y: $2x(6,2)xf32) -> $2x12xf32 {
    %z = nn.binary mul %x, %y : ($2x(3,4)xf32, $2x(6,2)xf32) -> $2x12xf32
    return %z : $2x12xf32 })");
}

/// What lies one after another in memory is one dim; what does not is cut where
/// the other operand is. Of one operation: see firstThatFits.
TEST(Layout, factorsThatCrossAreJoined) {
  const char *text = R"((%x: $2x(3,4)xf32, %y: $2x(4,3)xf32) -> $2x(2,6)xf32 {
    %z = nn.binary sub %x, %y : ($2x(3,4)xf32, $2x(4,3)xf32) -> $2x(2,6)xf32
    return %z : $2x(2,6)xf32 })";
  check(text);
  RunOptions options;
  options.inputStrides = {{1, 8, 2}, {40, 12, 3}};
  options.outputStrides = {{14, 7, 1}};
  check(text, options);
}

TEST(Layout, factorsCrossBehindARearrange) {
  check(R"((%x: $2x2x3xf32, %y: $2x(3,2)xf32) -> $2x6xf32 {
    %t = nn.rearrange %x {source = #nn.layout<[2] [2] [3]>, order = [[0], [1, 2]]} : ($2x2x3xf32) -> $2x(2,3)xf32
    %z = nn.binary add %t, %y : ($2x(2,3)xf32, $2x(3,2)xf32) -> $2x6xf32
    return %z : $2x6xf32 })");
}

TEST(Layout, rearranges) {
  check(R"((%x: $2x5x12xf32) -> $2x3x5x4xf32 {
    %e = nn.unary exp %x : ($2x5x12xf32) -> $2x5x12xf32
    %y = nn.rearrange %e {source = #nn.layout<[2] [5] [3 4]>, order = [[0], [2], [1], [3]]} : ($2x5x12xf32) -> $2x3x5x4xf32
    return %y : $2x3x5x4xf32 })");
  check(R"((%x: $3x3xf32) -> $3x3xf32 {
    %t = nn.rearrange %x {source = #nn.layout<[3] [3]>, order = [[1], [0]]} : ($3x3xf32) -> $3x3xf32
    %y = nn.binary sub %x, %t : ($3x3xf32, $3x3xf32) -> $3x3xf32
    return %y : $3x3xf32 })");
  check(R"((%x: $2x3x4xf32) -> $1x6x4xf32 {
    %y = nn.rearrange %x {source = #nn.layout<[2] [3] [4]>, order = [[], [0, 1], [2]]} : ($2x3x4xf32) -> $1x(2,3)x4xf32
    %z = nn.unary neg %y : ($1x(2,3)x4xf32) -> $1x6x4xf32
    return %z : $1x6x4xf32 })");
}

TEST(Layout, slicesOfInputs) {
  check(R"((%x: $5x12xf32) -> $5x4xf32 {
    %a = nn.slice %x {dim = 1 : i64, start = 4 : i64, size = 4 : i64} : ($5x12xf32) -> $5x4xf32
    %b = nn.slice %x {dim = 1 : i64, start = 8 : i64, size = 4 : i64} : ($5x12xf32) -> $5x4xf32
    %y = nn.binary mul %a, %b : ($5x4xf32, $5x4xf32) -> $5x4xf32
    return %y : $5x4xf32 })");
  check(R"((%x: $5x(3,4)xf32) -> $5xf32 {
    %a = nn.slice %x {dim = 1 : i64, start = 7 : i64, size = 1 : i64, drop = true} : ($5x(3,4)xf32) -> $5xf32
    %y = nn.unary exp %a : ($5xf32) -> $5xf32
    return %y : $5xf32 })");
}

TEST(Layout, slicesOfComputedValues) {
  check(R"((%x: $5x12xf32) -> $5x4xf32 {
    %e = nn.unary exp %x : ($5x12xf32) -> $5x12xf32
    %a = nn.slice %e {dim = 1 : i64, start = 3 : i64, size = 4 : i64} : ($5x12xf32) -> $5x4xf32
    %b = nn.slice %e {dim = 1 : i64, start = 5 : i64, size = 4 : i64} : ($5x12xf32) -> $5x4xf32
    %y = nn.binary sub %a, %b : ($5x4xf32, $5x4xf32) -> $5x4xf32
    %z = nn.softmax %y {dim = 1 : i64} : ($5x4xf32) -> $5x4xf32
    return %z : $5x4xf32 })");
}

TEST(Layout, slicesDoNotReadTheRowOfAnotherIteration) {
  // e is kept in a row at its own first dim; the slice reads it at others.
  check(R"((%x: $4x20xf32) -> $3x4x20xf32 {
    %e = nn.unary exp %x : ($4x20xf32) -> $4x20xf32
    %p = nn.softmax %e {dim = 1 : i64} : ($4x20xf32) -> $4x20xf32
    %s = nn.slice %e {dim = 0 : i64, start = 1 : i64, size = 3 : i64} : ($4x20xf32) -> $3x20xf32
    %r = nn.rearrange %s {source = #nn.layout<[3] [20]>, order = [[0], [], [1]]} : ($3x20xf32) -> $3x1x20xf32
    %y = nn.binary mul %p, %r : ($4x20xf32, $3x1x20xf32) -> $3x4x20xf32
    return %y : $3x4x20xf32 })");
}

TEST(Layout, concatenations) {
  for (const char *dim : {"0", "1"}) {
    std::string y = dim[0] == '0' ? "$15x4xf32" : "$5x12xf32";
    check("(%a: $5x4xf32, %b: $5x4xf32) -> " + y + R"( {
      %n = nn.unary neg %b : ($5x4xf32) -> $5x4xf32
      %y = nn.concat %a, %n, %b {dim = )" +
          dim + " : i64} : ($5x4xf32, $5x4xf32, $5x4xf32) -> " + y +
          " return %y : " + y + " }");
  }
  check(R"((%a: $5x4xf32, %b: $5x3xf32, %w: $7xf32) -> $5x7xf32 {
    %c = nn.concat %a, %b {dim = 1 : i64} : ($5x4xf32, $5x3xf32) -> $5x7xf32
    %y = nn.rms_norm %c, %w {eps = 1.0e-6 : f64} : ($5x7xf32, $7xf32) -> $5x7xf32
    return %y : $5x7xf32 })");
}

TEST(Layout, inputsThatAreOutputs) {
  check(R"((%x: $5x4xf32) -> ($5x4xf32, $4x5xf32) {
    %t = nn.rearrange %x {source = #nn.layout<[5] [4]>, order = [[1], [0]]} : ($5x4xf32) -> $4x5xf32
    return %x, %t : $5x4xf32, $4x5xf32 })");
}

TEST(Layout, longRowsUnderFewOuterIterations) {
  check(R"((%x: $2x16384xf32, %b: $16384xf32) -> $2x16384xf32 {
    %y = nn.binary add %x, %b : ($2x16384xf32, $16384xf32) -> $2x16384xf32
    return %y : $2x16384xf32 })");
}

/// What a mean's gradient looks like to the norm before it: a row for all rows.
TEST(Layout, sumOfMoreThanIsStored) {
  RunOptions options;
  options.inputStrides = {{0, 1}};
  check(R"((%g: $600x84xf32) -> $84xf32 {
    %y = nn.reduce sum %g {dims = array<i64: 0>, keepdim = false} : ($600x84xf32) -> $84xf32
    return %y : $84xf32 })",
        options);
  options.inputStrides = {{0, 1}, {0, 1}};
  check(R"((%g: $600x84xf32, %x: $600x84xf32) -> $600x84xf32 {
    %s = nn.reduce sum %x {dims = array<i64: 1>, keepdim = true} : ($600x84xf32) -> $600x1xf32
    %y = nn.binary mul %g, %s : ($600x84xf32, $600x1xf32) -> $600x84xf32
    return %y : $600x84xf32 })",
        options);
}
