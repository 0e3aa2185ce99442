//===- GpuNumbersTest.cpp - kernels of sizes that fit no thread -----------===//
//
// check() runs each on a CPU and, as PTX, on the interpreter, which finds races
// and accesses out of bounds. Sizes are around those of units, warps, blocks,
// rows in registers and parts of reductions.
//
//===----------------------------------------------------------------------===//

#include "PtxRun.h"
#include "lib/CodeGen/Gpu/PtxCompiler.h"
#include "lib/CodeGen/PrepareKernel.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using hocket::test::check;
using hocket::test::RunOptions;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string text(int64_t number) { return std::to_string(number); }

std::string reduceOf(const std::string &kind, const std::string &x,
                     const std::string &dims, const std::string &y) {
  return "(%x: " + x + ") -> " + y + " { %y = nn.reduce \"" + kind +
         "\" %x {dims = array<i64: " + dims + ">, keepdim = false} : (" + x +
         ") -> " + y + " return %y : " + y + " }";
}

/// Of x [rows, columns]: its softmax, sums over both dims, the largest of each
/// row and x + its sum, all in one kernel.
std::string manyOf(int64_t rows, int64_t columns, const std::string &type) {
  std::string x = "$" + text(rows) + "x" + text(columns) + "x" + type,
              r = "$" + text(rows) + "x" + type,
              k = "$" + text(rows) + "x1x" + type,
              c = "$" + text(columns) + "x" + type;
  return "(%x: " + x + ") -> (" + x + ", " + r + ", " + c + ", " + k + ", " +
         x + R"() {
    %s = nn.softmax %x {dim = 1 : i64} : ()" +
         x + ") -> " + x + R"(
    %r = nn.reduce sum %x {dims = array<i64: 1>, keepdim = false} : ()" +
         x + ") -> " + r + R"(
    %c = nn.reduce sum %x {dims = array<i64: 0>, keepdim = false} : ()" +
         x + ") -> " + c + R"(
    %k = nn.reduce max %x {dims = array<i64: 1>, keepdim = true} : ()" +
         x + ") -> " + k + R"(
    %y = nn.binary add %x, %k : ()" +
         x + ", " + k + ") -> " + x + R"(
    return %s, %r, %c, %k, %y : )" +
         x + ", " + r + ", " + c + ", " + k + ", " + x + " }";
}

TEST(GpuNumbers, rowsOfAnySize) {
  RunOptions positive;
  positive.low = 0;
  for (int64_t rows : {1, 3, 130})
    for (int64_t columns : {1, 2, 7, 31, 33, 64, 127, 257, 509})
      check(manyOf(rows, columns, "f32"), positive);
  for (int64_t columns : {0, 1, 1000})
    for (int64_t rows : {0, 2})
      check(manyOf(rows, columns, "f32"), positive);
}

TEST(GpuNumbers, rowsThatDoNotFitRegisters) {
  RunOptions positive;
  positive.low = 0;
  positive.floor = 1e-4;
  for (int64_t columns : {16384, 16385, 16411, 20000, 65537})
    check(manyOf(2, columns, "f32"), positive);
}

TEST(GpuNumbers, reductionsInParts) {
  RunOptions positive;
  positive.low = 0;
  for (int64_t size : {8191, 8192, 8209, 9973, 10000, 65536, 131071, 131072})
    for (const char *kind : {"sum", "max", "mean"}) {
      check(reduceOf(kind, "$" + text(size) + "xf32", "0", "$f32"), positive);
      if (size <= 10000)
        check(reduceOf(kind, "$" + text(size) + "x3xf32", "0", "$3xf32"),
              positive);
    }
}

TEST(GpuNumbers, largestWithInfinitiesAndNan) {
  for (const char *type : {"f32", "f64", "bf16", "f16"})
    for (int64_t size : {5, 65, 1001, 17000}) {
      RunOptions special;
      special.tolerance = 0;
      special.element = [&](int, int64_t n, double) {
        int64_t row = n / size, column = n % size;
        if (row == 0) // nothing larger than -inf
          return -infinity;
        if (row == 1 && column == size - 1)
          return nan;
        if (row == 2)
          return column == size / 2 ? infinity : 1.0;
        if (row == 3)
          return column == 0 ? nan : infinity;
        return row == 4 ? -0.5 - double(column % 3) : -infinity;
      };
      std::string x = "$6x" + text(size) + "x" + type;
      check(reduceOf("max", x, "1", std::string("$6x") + type), special);
    }
  RunOptions whole;
  whole.samePtx = true;
  whole.low = -1e6;
  whole.high = -1;
  for (const char *type : {"i32", "i64"})
    for (const char *kind : {"max", "sum"}) {
      check(reduceOf(kind, std::string("$5x77x") + type, "1",
                     std::string("$5x") + type),
            whole);
      check(reduceOf(kind, std::string("$5x2000x") + type, "1",
                     std::string("$5x") + type),
            whole);
      check(reduceOf(kind, std::string("$0x7x") + type, "0",
                     std::string("$7x") + type),
            whole);
    }
}

TEST(GpuNumbers, halvesAreRoundedAsOnACpu) {
  for (const char *type : {"f16", "bf16"})
    for (int64_t size : {97, 512}) {
      std::string x = "$3x" + text(size) + "x" + type;
      RunOptions options;
      options.samePtx = true;
      options.tolerance = 1e-2;
      for (const char *kind : {"add", "sub", "mul", "div"})
        check("(%a: " + x + ", %b: " + x + ") -> " + x + " { %y = nn.binary " +
                  kind + " %a, %b : (" + x + ", " + x + ") -> " + x +
                  " return %y : " + x + " }",
              options);
    }
}

TEST(GpuNumbers, dropoutKeepsWhatACpuKeeps) {
  for (const char *shape : {"6x128", "3x7x11", "1000", "1"})
    for (const char *type : {"f32", "bf16"})
      for (const char *first : {"0", "tp: [5, 4294967299]"}) {
        std::string x = std::string("$") + shape + "x" + type, dims;
        for (std::string part = "[", rest = shape;;) {
          size_t end = rest.find('x');
          dims += "[" + rest.substr(0, end) + "] ";
          if (end == std::string::npos)
            break;
          rest = rest.substr(end + 1);
        }
        dims.pop_back();
        RunOptions options;
        options.samePtx = true;
        options.coordinate = 1;
        options.tolerance = 1e-2;
        options.element = [](int i, int64_t, double random) {
          return i == 0 ? 12345 : random;
        };
        check("(%s: $i32, %x: " + x + ") -> " + x +
                  " { %y = spmd.dropout %x, %s {p = 0.3 : f64, draws = "
                  "#spmd.draws<81985529216486895, first = <" +
                  first + ">, of = <<" + dims + ">>>} : (" + x + ", $i32) -> " +
                  x + " return %y : " + x + " }",
              options);
      }
}

/// LLVM knows where three numbers of scratch lie next to each other, and may
/// not load the fourth.
TEST(GpuNumbers, nothingIsLoadedBehindTheEnd) {
  RunOptions transposed;
  transposed.inputStrides = {{3, 15, 1}, {1, 15, 5}};
  check(R"((%x: $5x3x3xf32, %z: $5x3x3xf32) -> $5x3x3xf32 {
    %m = nn.reduce max %z {dims = array<i64: 0, 2>, keepdim = true} : ($5x3x3xf32) -> $1x3x1xf32
    %s = nn.softmax %x {dim = 1 : i64} : ($5x3x3xf32) -> $5x3x3xf32
    %a = nn.binary maximum %m, %s : ($1x3x1xf32, $5x3x3xf32) -> $5x3x3xf32
    %y = nn.binary add %z, %a : ($5x3x3xf32, $5x3x3xf32) -> $5x3x3xf32
    return %y : $5x3x3xf32 })",
        transposed);
}

TEST(GpuNumbers, argumentsThatALaunchDoesNotTake) {
  std::string x = "$7xf32", inputs = "%v0: " + x, sums;
  for (int i = 1; i < 512; ++i) {
    std::string sum = i == 1 ? "%v0" : "%s" + text(i - 1);
    inputs += ", %v" + text(i) + ": " + x;
    sums += "%s" + text(i) + " = nn.binary add " + sum + ", %v" + text(i) +
            " : (" + x + ", " + x + ") -> " + x + "\n";
  }
  hocket::test::KernelText function("func.func @f(" + inputs + ") -> " + x +
                                    " {\n" + sums + "return %s511 : " + x +
                                    " }");
  hocket::codegen::KernelRequest request;
  request.body = &function.body();
  hocket::codegen::GpuKernel kernel;
  ASSERT_TRUE(prepareOrReport(request, kernel));
  std::string error;
  EXPECT_EQ(
      hocket::codegen::PtxCompiler("sm_80", "").compile("k", kernel, error),
      "");
  EXPECT_EQ(error, "takes a launch with 513 arguments, and a GPU has at most "
                   "512");
}

/// x' = x - g * (1 - b ^ t) / cos(t): of one number each.
std::string updateOf(const std::string &x) {
  return "(%x: " + x + ", %g: " + x + ", %b: $f64, %t: $f64) -> " + x +
         R"( {
    %p = nn.binary pow %b, %t : ($f64, $f64) -> $f64
    %o = nn.fill {value = 1.0 : f64} : () -> $f64
    %q = nn.binary sub %o, %p : ($f64, $f64) -> $f64
    %c = nn.unary cos %t : ($f64) -> $f64
    %r = nn.binary div %q, %c : ($f64, $f64) -> $f64
    %s = nn.cast %r : ($f64) -> $f32
    %m = nn.binary mul %g, %s : ()" +
         x + ", $f32) -> " + x + R"(
    %y = nn.binary sub %x, %m : ()" +
         x + ", " + x + ") -> " + x + " return %y : " + x + " }";
}

TEST(GpuNumbers, costlyNumbersAreComputedOnce) {
  RunOptions options;
  options.element = [](int i, int64_t, double random) {
    return i == 2 ? 0.9 : i == 3 ? 7.0 : random;
  };
  check(updateOf("$33x500xf32"), options);
  hocket::test::KernelCase test(updateOf("$33x500xf32"), options);
  test.request.inPlace.push_back({0, 0});
  hocket::codegen::GpuKernel kernel;
  ASSERT_TRUE(prepareOrReport(test.request, kernel));
  ASSERT_EQ(kernel.steps.size(), 2u);
  EXPECT_EQ(kernel.steps[0].schedule.blocks, 1);
  ASSERT_EQ(kernel.scratch.size(), 1u);
  EXPECT_EQ(kernel.scratch[0].elements, 1);
  for (const hocket::codegen::Node &node : kernel.steps[1].graph.nodes)
    EXPECT_NE(node.type, hocket::codegen::DType::F64);
  if (!hocket::test::hasDeviceLibrary())
    GTEST_SKIP() << hocket::test::noDeviceLibrary;
  auto expected = evaluate(*test.request.body, test.inputs, 0);
  ASSERT_TRUE(runPtx(test.request, test.memory, 0));
  compare(expected[0], test.memory[4], {}, "in place");
  // Of few elements each thread computes its own.
  hocket::test::KernelCase small(updateOf("$100xf32"), options);
  ASSERT_TRUE(prepareOrReport(small.request, kernel));
  EXPECT_EQ(kernel.steps.size(), 1u);
}

TEST(GpuNumbers, boolsAndIntegers) {
  for (int64_t size : {1, 7, 8, 65, 4096}) {
    std::string b = "$" + text(size) + "xi1", x = "$" + text(size) + "xi32",
                y = "$" + text(size) + "xi64";
    RunOptions options;
    options.samePtx = true;
    options.low = -1e5;
    options.high = 1e5;
    check("(%a: " + x + ", %b: " + x + ", %c: " + b + ") -> (" + b + ", " + y +
              ", " + x + R"() {
      %l = nn.binary lt %a, %b : ()" +
              x + ", " + x + ") -> " + b + R"(
      %n = nn.unary not %c : ()" +
              b + ") -> " + b + R"(
      %o = nn.binary and %l, %n : ()" +
              b + ", " + b + ") -> " + b + R"(
      %w = nn.cast %a : ()" +
              x + ") -> " + y + R"(
      %m = nn.binary mul %w, %w : ()" +
              y + ", " + y + ") -> " + y + R"(
      %q = nn.where %o, %a, %b : ()" +
              b + ", " + x + ", " + x + ") -> " + x + R"(
      return %o, %m, %q : )" +
              b + ", " + y + ", " + x + " }",
          options);
  }
}

} // namespace
