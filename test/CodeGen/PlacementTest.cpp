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
      %y = nn.binary add %x, %k : ($5x7xf32, $7xf32) -> $5x7xf32
      return %y : $5x7xf32 })",
          options);
  }
}

TEST(Placement, iotaFromAnyStart) {
  for (const char *type : {"i32", "i64", "f32", "f64"})
    for (const char *positions : {"<0> of 6", "<tp: [0, 8]> of 14"}) {
      std::string t = std::string("$4x(2,3)x") + type;
      RunOptions options;
      options.coordinate = 1;
      check("() -> " + t +
                " { %i = spmd.iota {dim = 1 : i64, positions = "
                "#spmd.positions<" +
                positions + ">} : () -> " + t + " return %i : " + t + " }",
            options);
    }
}

static void checkRotary(const std::string &style, const std::string &type,
                        const std::string &begin, RunOptions options,
                        bool inverse = false,
                        const std::string &frequencies = "array<f64>") {
  options.coordinate = 1;
  std::string t = "$2x3x5x8x" + type;
  check("(%x: " + t + ") -> " + t + " { %y = spmd.rotary %x {dim = 2 : i64, " +
            "base = 10000.0 : f64, style = #nn.rotary_style<" + style +
            ">, inverse = " + (inverse ? "true" : "false") +
            ", frequencies = " + frequencies +
            ", positions = #spmd.positions<<" + begin + "> of 100005>} : (" +
            t + ") -> " + t + " return %y : " + t + " }",
        options);
}

TEST(Placement, rotary) {
  for (const char *style : {"half", "interleaved"}) {
    checkRotary(style, "f32", "0", {});
    checkRotary(style, "f32", "7", {});
    checkRotary(style, "f32", "0", {}, /*inverse=*/true);
    checkRotary(style, "f32", "cp: [0, 100000]", {}, /*inverse=*/false,
                "array<f64: 1.0, 0.125, 0.0, 1.0e-3>");
    // f32 angles at such positions would be wrong by 0.01.
    checkRotary(style, "f32", "cp: [0, 100000]", {});
    RunOptions exact;
    exact.tolerance = 1e-12;
    checkRotary(style, "f64", "0", exact);
    RunOptions coarse;
    coarse.tolerance = 1e-2;
    checkRotary(style, "bf16", "0", coarse);
  }
}

TEST(Placement, rotaryOfComputedStridedHeads) {
  RunOptions options;
  options.inputStrides = {{5 * 36, 36, 6, 1}, {6, 1}, {1}};
  options.outputStrides = {{90, 6, 30, 1}};
  check(R"((%x: $2x5x(3,6)xf32, %b: $(3,6)xf32, %s: $5xf32) -> $2x5x(3,6)xf32 {
    %a = nn.binary add %x, %b : ($2x5x(3,6)xf32, $(3,6)xf32) -> $2x5x(3,6)xf32
    %h = nn.rearrange %a {source = #nn.layout<[2] [5] [3 6]>, order = [[0], [1], [2], [3]]} : ($2x5x(3,6)xf32) -> $2x5x3x6xf32
    %r = spmd.rotary %h {dim = 1 : i64, base = 10000.0 : f64, style = #nn.rotary_style<half>, inverse = false, frequencies = array<f64>, positions = #spmd.positions<<0> of 5>} : ($2x5x3x6xf32) -> $2x5x3x6xf32
    %y = nn.rearrange %r {source = #nn.layout<[2] [5] [3] [6]>, order = [[0], [1], [2, 3]]} : ($2x5x3x6xf32) -> $2x5x(3,6)xf32
    return %y : $2x5x(3,6)xf32 })",
        options);
}

TEST(Placement, normThenRotary) {
  for (const char *style : {"half", "interleaved"})
    check(
        std::string(R"((%x: $2x5x8xf32, %w: $8xf32) -> $2x5x8xf32 {
      %n = nn.rms_norm %x, %w {eps = 1.0e-6 : f64} : ($2x5x8xf32, $8xf32) -> $2x5x8xf32
      %y = spmd.rotary %n {dim = 1 : i64, base = 10000.0 : f64, style = #nn.rotary_style<)") +
        style +
        R"(>, inverse = false, frequencies = array<f64>, positions = #spmd.positions<<0> of 5>} : ($2x5x8xf32) -> $2x5x8xf32
      return %y : $2x5x8xf32 })");
}
