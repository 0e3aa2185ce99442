//===- RowTest.cpp - reductions, norms and fused rows ---------------------===//

#include "KernelHarness.h"
#include <gtest/gtest.h>

using hocket::test::check;
using hocket::test::RunOptions;

static std::string reduceOf(const std::string &kind, const std::string &x,
                            const std::string &dims, const std::string &y,
                            bool keep = false) {
  return "(%x: " + x + ") -> " + y + " { %y = nn.reduce \"" + kind +
         "\" %x {dims = array<i64: " + dims +
         ">, keepdim = " + (keep ? "true" : "false") + "} : (" + x + ") -> " +
         y + " return %y : " + y + " }";
}

TEST(Rows, reductionsOverEachDim) {
  RunOptions positive; // sums of mixed signs cancel
  positive.low = 0;
  for (const char *kind : {"sum", "max", "mean"}) {
    check(reduceOf(kind, "$5x1001xf32", "1", "$5xf32"), positive);
    check(reduceOf(kind, "$5x1001xf32", "0", "$1001xf32"), positive);
    check(reduceOf(kind, "$64x2048xf32", "0", "$1x2048xf32", true), positive);
    check(reduceOf(kind, "$3x5x7xf32", "1", "$3x7xf32"));
    check(reduceOf(kind, "$3x5x7xf32", "0, 2", "$1x5x1xf32", true));
    check(reduceOf(kind, "$3x5x7xf32", "0, 1, 2", "$f32"));
    check(reduceOf(kind, "$4x1xf32", "1", "$4xf32"));
  }
  check(reduceOf("sum", "$5x9xi64", "1", "$5xi64"));
  check(reduceOf("max", "$5x9xi32", "0", "$9xi32"));
  check(reduceOf("sum", "$5x0xf32", "1", "$5xf32"));
  check(reduceOf("max", "$5x0xf32", "1", "$5xf32"));
}

TEST(Rows, reductionsOfBf16AccumulateInF32) {
  RunOptions options;
  options.tolerance = 1e-2;
  check(reduceOf("sum", "$3x1001xbf16", "1", "$3xbf16"), options);
}

TEST(Rows, f64) {
  RunOptions exact;
  exact.tolerance = 1e-12;
  check(reduceOf("sum", "$5x1001xf64", "1", "$5xf64"), exact);
  check(R"((%x: $4x33xf64, %w: $33xf64, %b: $33xf64) -> $4x33xf64 {
    %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : ($4x33xf64, $33xf64, $33xf64) -> $4x33xf64
    %z = nn.softmax %y {dim = 1 : i64} : ($4x33xf64) -> $4x33xf64
    return %z : $4x33xf64 })",
        exact);
}

static std::string softmaxOf(const std::string &x, int dim) {
  return "(%x: " + x + ") -> " + x +
         " { %y = nn.softmax %x {dim = " + std::to_string(dim) + " : i64} : (" +
         x + ") -> " + x + " return %y : " + x + " }";
}

TEST(Rows, softmaxAlongEachDim) {
  for (const char *type : {"$7x1001xf32", "$16x1xf32", "$1x64xf32"}) {
    RunOptions small;
    small.floor = 1e-6;
    check(softmaxOf(type, 0), small);
    check(softmaxOf(type, 1), small);
  }
  check(softmaxOf("$3x5x600xf32", 1));
  check(softmaxOf("$1001xf32", 0));
}

static std::string logSumExpOf(const std::string &x, int dim,
                               const std::string &y) {
  return "(%x: " + x + ") -> " + y +
         " { %y = nn.log_sum_exp %x {dim = " + std::to_string(dim) +
         " : i64} : (" + x + ") -> " + y + " return %y : " + y + " }";
}

TEST(Rows, logSumExpAlongEachDim) {
  check(logSumExpOf("$7x1001xf32", 1, "$7xf32"));
  check(logSumExpOf("$7x1001xf32", 0, "$1001xf32"));
  check(logSumExpOf("$3x5x600xf32", 1, "$3x600xf32"));
  check(logSumExpOf("$1001xf32", 0, "$f32"));
  RunOptions large;
  large.low = 900, large.high = 1000;
  check(logSumExpOf("$3x33xf32", 1, "$3xf32"), large);
  RunOptions masked;
  masked.element = [](int, int64_t n, double random) {
    return n % 5 == 0 && n < 30 ? random
                                : -std::numeric_limits<double>::infinity();
  };
  check(logSumExpOf("$2x40xf32", 1, "$2xf32"), masked);
}

TEST(Rows, softmaxUnderInfiniteMasks) {
  RunOptions masked;
  masked.element = [](int, int64_t n, double random) {
    return n % 5 == 0 ? random : -std::numeric_limits<double>::infinity();
  };
  check(softmaxOf("$9x33xf32", 1), masked);
}

TEST(Rows, layerNorm) {
  for (const char *n : {"1001", "7", "384"}) {
    std::string t = std::string("$6x") + n + "xf32",
                w = std::string("$") + n + "xf32";
    check("(%x: " + t + ", %w: " + w + ", %b: " + w + ") -> " + t +
          " { %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : (" + t +
          ", " + w + ", " + w + ") -> " + t + " return %y : " + t + " }");
    check("(%x: " + t + ", %w: " + w + ") -> " + t +
          " { %y = nn.layer_norm %x, %w {eps = 1.0e-5 : f64} : (" + t + ", " +
          w + ") -> " + t + " return %y : " + t + " }");
    check("(%x: " + t + ", %w: " + w + ") -> " + t +
          " { %y = nn.rms_norm %x, %w {eps = 1.0e-5 : f64} : (" + t + ", " + w +
          ") -> " + t + " return %y : " + t + " }");
  }
}

TEST(Rows, residualThenLayerNorm) {
  check(R"((%x: $2x3x96xf32, %r: $2x3x96xf32, %w: $96xf32, %b: $96xf32)
      -> ($2x3x96xf32, $2x3x96xf32) {
    %h = nn.binary add %x, %r : ($2x3x96xf32, $2x3x96xf32) -> $2x3x96xf32
    %y = nn.layer_norm %h, %w, %b {eps = 1.0e-5 : f64} : ($2x3x96xf32, $96xf32, $96xf32) -> $2x3x96xf32
    return %h, %y : $2x3x96xf32, $2x3x96xf32 })");
}

TEST(Rows, expensiveValuesOfSeveralPasses) {
  check(R"((%x: $6x200xf32, %w: $200xf32, %b: $200xf32) -> $6x200xf32 {
    %g = nn.unary gelu %x : ($6x200xf32) -> $6x200xf32
    %n = nn.layer_norm %g, %w, %b {eps = 1.0e-5 : f64} : ($6x200xf32, $200xf32, $200xf32) -> $6x200xf32
    %y = nn.binary add %n, %g : ($6x200xf32, $6x200xf32) -> $6x200xf32
    return %y : $6x200xf32 })");
}

TEST(Rows, rowResultsBesideElements) {
  check(R"((%x: $6x20xf32) -> ($6xf32, $6x20xf32, $6x1xf32) {
    %m = nn.reduce max %x {dims = array<i64: 1>, keepdim = false} : ($6x20xf32) -> $6xf32
    %k = nn.reduce max %x {dims = array<i64: 1>, keepdim = true} : ($6x20xf32) -> $6x1xf32
    %d = nn.binary sub %x, %k : ($6x20xf32, $6x1xf32) -> $6x20xf32
    %e = nn.unary exp %d : ($6x20xf32) -> $6x20xf32
    %s = nn.reduce sum %e {dims = array<i64: 1>, keepdim = true} : ($6x20xf32) -> $6x1xf32
    return %m, %e, %s : $6xf32, $6x20xf32, $6x1xf32 })");
}

TEST(Rows, siblingsOfOneInput) {
  check(R"((%x: $6x20xf32) -> ($6x20xf32, $6x20xf32, $6xf32) {
    %a = nn.unary exp %x : ($6x20xf32) -> $6x20xf32
    %b = nn.unary tanh %x : ($6x20xf32) -> $6x20xf32
    %m = nn.reduce max %x {dims = array<i64: 1>, keepdim = false} : ($6x20xf32) -> $6xf32
    return %a, %b, %m : $6x20xf32, $6x20xf32, $6xf32 })");
}

TEST(Rows, oneInputAsRowAndAsColumn) {
  check(R"((%x: $6xf32) -> $6x6xf32 {
    %c = nn.rearrange %x {source = #nn.layout<[6]>, order = [[0], []]} : ($6xf32) -> $6x1xf32
    %y = nn.binary sub %x, %c : ($6xf32, $6x1xf32) -> $6x6xf32
    return %y : $6x6xf32 })");
}

TEST(Rows, outputsMayMissOuterDims) {
  check(R"((%x: $6x20xf32, %w: $20xf32) -> ($20xf32, $6x20xf32) {
    %a = nn.unary exp %w : ($20xf32) -> $20xf32
    %y = nn.binary mul %x, %a : ($6x20xf32, $20xf32) -> $6x20xf32
    return %a, %y : $20xf32, $6x20xf32 })");
}

TEST(Rows, differentReducedDims) {
  check(R"((%x: $4x6x20xf32) -> $4x20xf32 {
    %p = nn.softmax %x {dim = 2 : i64} : ($4x6x20xf32) -> $4x6x20xf32
    %y = nn.reduce sum %p {dims = array<i64: 1>, keepdim = false} : ($4x6x20xf32) -> $4x20xf32
    return %y : $4x20xf32 })");
  check(R"((%x: $4x6x20xf32) -> $f32 {
    %p = nn.softmax %x {dim = 1 : i64} : ($4x6x20xf32) -> $4x6x20xf32
    %m = nn.reduce max %p {dims = array<i64: 2>, keepdim = false} : ($4x6x20xf32) -> $4x6xf32
    %y = nn.reduce sum %m {dims = array<i64: 0, 1>, keepdim = false} : ($4x6xf32) -> $f32
    return %y : $f32 })");
}

TEST(Rows, sumOfABroadcast) {
  check(R"((%x: $4x1xf32) -> $4xf32 {
    %b = nn.broadcast %x : ($4x1xf32) -> $4x9xf32
    %y = nn.reduce sum %b {dims = array<i64: 1>, keepdim = false} : ($4x9xf32) -> $4xf32
    return %y : $4xf32 })");
}

TEST(Rows, rowsThatDoNotFitTheStackHaveAnotherOrder) {
  // Sums over b leave rows over a; with the vector axis in them, 4 MiB.
  check(R"((%x: $64x4x12289xf32) -> $12289xf32 {
    %s = nn.reduce max %x {dims = array<i64: 1>, keepdim = false} : ($64x4x12289xf32) -> $64x12289xf32
    %e = nn.unary exp %s : ($64x12289xf32) -> $64x12289xf32
    %y = nn.reduce sum %e {dims = array<i64: 0>, keepdim = false} : ($64x12289xf32) -> $12289xf32
    return %y : $12289xf32 })");
}
