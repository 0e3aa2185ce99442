//===- BlockLayoutTest.cpp - attention under a block layout ---------------===//
//
// Against softmax over the keys that a matrix of blocks shows, and for its
// gradient against central differences.
//
//===----------------------------------------------------------------------===//

#include "hocket/Plan/BlockLayout.h"
#include "ReferenceCase.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hocket;
using namespace hocket::test;

static constexpr int64_t heads = 4, tokens = 12, depth = 3;

/// causal * bigbird(block = 2, window = 1, random = 1, per_head = true).
static const char *const bigbird =
    ", causal = true, block_layout = {kind = \"bigbird\", block = 2 : i64, "
    "window = 1 : i64, random = 1 : i64, per_head = true, key = 99 : i64, "
    "global = 1 : i64, unidirectional = false}";

static plan::BlockLayout layout() {
  plan::BlockLayout layout;
  layout.kind = plan::LayoutKind::BigBird;
  layout.block = 2, layout.window = 1, layout.random = 1, layout.key = 99;
  layout.perHead = true;
  return layout;
}

static bool sees(int64_t head, int64_t i, int64_t j) {
  for (plan::BlockRun run : visitedBlocks(layout(), tokens / 2, head, i / 2))
    if (j / 2 >= run.begin && j / 2 < run.end)
      return j <= i;
  return false;
}

static std::vector<Tensor> inputs() {
  return {wave({1, heads, tokens, depth}), wave({1, 2, tokens, depth}, 1),
          wave({1, 2, tokens, depth}, 2)};
}

/// Heads share keys and values by two.
static Values expected(const std::vector<Tensor> &x) {
  Values result(heads * tokens * depth);
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < tokens; ++i) {
      auto row = [&](int input, int64_t head, int64_t at) {
        return &x[input].values[(head * tokens + at) * depth];
      };
      double sum = 0;
      Values out(depth);
      for (int64_t j = 0; j < tokens; ++j) {
        if (!sees(h, i, j))
          continue;
        double score = 0;
        for (int64_t d = 0; d < depth; ++d)
          score += row(0, h, i)[d] * row(1, h / 2, j)[d];
        double weight = std::exp(0.5 * score);
        sum += weight;
        for (int64_t d = 0; d < depth; ++d)
          out[d] += weight * row(2, h / 2, j)[d];
      }
      for (int64_t d = 0; d < depth; ++d)
        result[(h * tokens + i) * depth + d] = out[d] / sum;
    }
  return result;
}

static const std::vector<std::string> types = {"1x4x12x3xf64", "1x2x12x3xf64",
                                               "1x2x12x3xf64"};

TEST(ReferenceBlockLayouts, AttentionSeesItsBlocks) {
  expectClose(evaluateOp("nn.attention %0, %1, %2 {scale = 0.5 : f64" +
                             std::string(bigbird) + "}",
                         types, "1x4x12x3xf64", inputs()),
              expected(inputs()));
}

TEST(ReferenceBlockLayouts, GradientsAreThoseOfWhatIsSeen) {
  std::string attributes = " {scale = 0.5 : f64" + std::string(bigbird) + "} ";
  Outcome gradients = evaluateText(
      "func.func @f(%q: !1x4x12x3xf64, %k: !1x2x12x3xf64, "
      "%v: !1x2x12x3xf64, %dy: !1x4x12x3xf64) -> (!1x4x12x3xf64, "
      "!1x2x12x3xf64, !1x2x12x3xf64) {\n"
      "%y, %lse = nn.attention %q, %k, %v" +
          attributes +
          ": (!1x4x12x3xf64, !1x2x12x3xf64, !1x2x12x3xf64) -> "
          "(!1x4x12x3xf64, !1x4x12xf64)\n"
          "%g:3 = nn.attention_grad %q, %k, %v, %dy, %y, %lse" +
          attributes +
          ": (!1x4x12x3xf64, !1x2x12x3xf64, !1x2x12x3xf64, !1x4x12x3xf64, "
          "!1x4x12x3xf64, !1x4x12xf64) -> (!1x4x12x3xf64, !1x2x12x3xf64, "
          "!1x2x12x3xf64)\n"
          "return %g#0, %g#1, %g#2 : !1x4x12x3xf64, !1x2x12x3xf64, "
          "!1x2x12x3xf64\n}",
      {inputs()[0], inputs()[1], inputs()[2],
       wave({1, heads, tokens, depth}, 3)});
  ASSERT_EQ(gradients.error, "");
  Values dy = wave({1, heads, tokens, depth}, 3).values;
  auto loss = [&](const std::vector<Tensor> &x) {
    Values out = expected(x);
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i)
      sum += out[i] * dy[i];
    return sum;
  };
  for (int input = 0; input < 3; ++input)
    for (size_t i = 0; i < inputs()[input].values.size(); ++i) {
      std::vector<Tensor> up = inputs(), down = inputs();
      up[input].values[i] += 1e-5;
      down[input].values[i] -= 1e-5;
      EXPECT_NEAR(gradients.outputs[input].values[i],
                  (loss(up) - loss(down)) / 2e-5, 1e-8)
          << input << " " << i;
    }
}

TEST(ReferenceBlockLayouts, GradientOfAnotherLayoutIsRefused) {
  Outcome outcome = evaluateText(
      "func.func @f(%q: !1x4x12x3xf64) -> !1x4x12x3xf64 {\n"
      "%y, %lse = nn.attention %q, %q, %q {scale = 0.5 : f64" +
          std::string(bigbird) +
          "} : (!1x4x12x3xf64, !1x4x12x3xf64, !1x4x12x3xf64) -> "
          "(!1x4x12x3xf64, !1x4x12xf64)\n"
          "%g:3 = nn.attention_grad %q, %q, %q, %q, %y, %lse {scale = 0.5 : "
          "f64, causal = true} : (!1x4x12x3xf64, !1x4x12x3xf64, "
          "!1x4x12x3xf64, !1x4x12x3xf64, !1x4x12x3xf64, !1x4x12xf64) -> "
          "(!1x4x12x3xf64, !1x4x12x3xf64, !1x4x12x3xf64)\n"
          "return %g#0 : !1x4x12x3xf64\n}",
      {wave({1, heads, tokens, depth})});
  EXPECT_EQ(outcome.error, "refused by the dialect");
}
