//===- PlacementTest.cpp - kernels that depend on where the rank is -------===//

#include "KernelHarness.h"
#include <gtest/gtest.h>

using hocket::test::check;
using hocket::test::RunOptions;

TEST(Placement, keepFirst) {
  for (int64_t coordinate : {0, 1}) {
    RunOptions options;
    options.coordinate = coordinate;
    check(R"((%x: $5x7xf32, %b: $7xf32) -> $5x7xf32 {
      %k = spmd.keep_first %b over ["tp"] : ($7xf32) -> $7xf32
      %y = nn.binary "add" %x, %k : ($5x7xf32, $7xf32) -> $5x7xf32
      return %y : $5x7xf32 })",
          options);
  }
}

TEST(Placement, iotaFromAnyStart) {
  for (const char *type : {"i32", "i64", "f32", "f64"})
    for (const char *first : {"", ", spmd.first = #spmd.table<tp: [0, 8]>",
                              ", spmd.first = #spmd.table<5>"}) {
      std::string t = std::string("$4x(2,3)x") + type;
      RunOptions options;
      options.coordinate = 1;
      check("() -> " + t + " { %i = nn.iota {dim = 1 : i64" + first +
                "} : () -> " + t + " return %i : " + t + " }",
            options);
    }
}

static void checkRotary(const std::string &style, const std::string &type,
                        const std::string &first, RunOptions options) {
  options.coordinate = 1;
  std::string t = "$2x3x5x8x" + type;
  check("(%x: " + t + ") -> " + t + " { %y = nn.rotary %x {dim = 2 : i64, " +
            "base = 10000.0 : f64, style = \"" + style + "\"" + first +
            "} : (" + t + ") -> " + t + " return %y : " + t + " }",
        options);
}

TEST(Placement, rotary) {
  for (const char *style : {"half", "interleaved"}) {
    checkRotary(style, "f32", "", {});
    checkRotary(style, "f32", ", spmd.first = #spmd.table<7>", {});
    checkRotary(style, "f32", ", inverse = true", {});
    // f32 angles at such positions would be wrong by 0.01.
    checkRotary(style, "f32", ", spmd.first = #spmd.table<cp: [0, 100000]>",
                {});
    RunOptions exact;
    exact.tolerance = 1e-12;
    checkRotary(style, "f64", "", exact);
    RunOptions coarse;
    coarse.tolerance = 1e-2;
    checkRotary(style, "bf16", "", coarse);
  }
}

TEST(Placement, rotaryOfComputedStridedHeads) {
  RunOptions options;
  options.inputStrides = {{5 * 36, 36, 6, 1}, {6, 1}, {1}};
  options.outputStrides = {{90, 6, 30, 1}};
  check(R"((%x: $2x5x(3,6)xf32, %b: $(3,6)xf32, %s: $5xf32) -> $2x5x(3,6)xf32 {
    %a = nn.binary "add" %x, %b : ($2x5x(3,6)xf32, $(3,6)xf32) -> $2x5x(3,6)xf32
    %h = nn.rearrange %a {source = #nn.layout<[2] [5] [3 6]>, order = [[0], [1], [2], [3]]} : ($2x5x(3,6)xf32) -> $2x5x3x6xf32
    %r = nn.rotary %h {dim = 1 : i64, base = 10000.0 : f64, style = "half"} : ($2x5x3x6xf32) -> $2x5x3x6xf32
    %y = nn.rearrange %r {source = #nn.layout<[2] [5] [3] [6]>, order = [[0], [1], [2, 3]]} : ($2x5x3x6xf32) -> $2x5x(3,6)xf32
    return %y : $2x5x(3,6)xf32 })",
        options);
}

TEST(Placement, normThenRotary) {
  for (const char *style : {"half", "interleaved"})
    check(std::string(R"((%x: $2x5x8xf32, %w: $8xf32) -> $2x5x8xf32 {
      %n = nn.rms_norm %x, %w {eps = 1.0e-6 : f64} : ($2x5x8xf32, $8xf32) -> $2x5x8xf32
      %y = nn.rotary %n {dim = 1 : i64, base = 10000.0 : f64, style = ")") +
          style + R"("} : ($2x5x8xf32) -> $2x5x8xf32
      return %y : $2x5x8xf32 })");
}
