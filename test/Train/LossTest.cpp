//===- LossTest.cpp - losses of the language against PyTorch's ------------===//

#include "Wave.h"

using namespace hocket;
using namespace hocket::test;

namespace {

const Tensor logits = wave({2, 3, 5}, 0, 3);
const Tensor targets{{2, 3}, {0, 4, 2, -100, 1, -100}};

/// The loss of a model whose loss function is `expression` of x and t.
double lossOf(const std::string &expression, const Tensor &x, const Tensor &t,
              const std::string &tType = "i64[2, 3]") {
  std::string dims;
  for (int64_t extent : x.shape)
    dims += (dims.empty() ? "" : ", ") + std::to_string(extent);
  std::string text = "hocket 1\nmodel Net() {\n  forward(x: f32[" + dims +
                     "]) -> f32[" + dims + "] { return x }\n  loss(x: f32[" +
                     dims + "], t: " + tType + ") -> f32[] { return " +
                     expression + " }\n}\n";
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  Compiler compiler(stream);
  frontend::ElaborateOptions options;
  options.function = "loss";
  if (!compiler.loadTexts("net.hkt", {{"net.hkt", text}}, options)) {
    ADD_FAILURE() << stream.str();
    return NAN;
  }
  std::vector<Tensor> outputs;
  std::string error;
  auto none = [](llvm::StringRef, Tensor &) { return false; };
  if (failed(reference::evaluate(onlyFunction(compiler.module()), none, {x, t},
                                 outputs, error))) {
    ADD_FAILURE() << error;
    return NAN;
  }
  return outputs.at(0).values.at(0);
}

} // namespace

TEST(Loss, CrossEntropy) {
  EXPECT_NEAR(lossOf("cross_entropy(forward(x), t)", logits, targets),
              1.6092292593640476, 1e-13);
}

TEST(Loss, LabelSmoothing) {
  EXPECT_NEAR(lossOf("cross_entropy(x, t, smoothing = 0.1)", logits, targets),
              1.6880541175849915, 1e-13);
}

TEST(Loss, IgnoredIdsAreNotCounted) {
  Tensor other = targets;
  other.values = {0, 4, 2, 0, 1, 0};
  EXPECT_NEAR(lossOf("cross_entropy(x, t, ignore = 2)", logits, other),
              3.2712470566453478, 1e-13);
}

TEST(Loss, LargeLogitsDoNotOverflow) {
  EXPECT_NEAR(lossOf("cross_entropy(x, t)", wave({2, 3, 5}, 0, 3000), targets),
              947.9096852468361, 1e-10);
}

TEST(Loss, NoValidTargetIsALossOf0) {
  Tensor none{{2, 3}, std::vector<double>(6, -100)};
  EXPECT_EQ(lossOf("cross_entropy(x, t)", logits, none), 0);
}

TEST(Loss, MeanSquaredError) {
  Tensor x = wave({2, 3}), y = wave({2, 3}, 1);
  EXPECT_NEAR(lossOf("mse_loss(x, t)", x, y, "f32[2, 3]"), 0.4815478999608156,
              1e-15);
  EXPECT_NEAR(lossOf("mean_squared_error(x, t)", x, y, "f32[2, 3]"),
              0.4815478999608156, 1e-15);
}
