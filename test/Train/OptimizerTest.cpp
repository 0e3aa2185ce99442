//===- OptimizerTest.cpp - five steps of each optimizer, as PyTorch's -----===//

#include "Wave.h"

using namespace hocket;
using namespace hocket::test;

namespace {

using Values = std::vector<double>;

/// A linear layer trained by `settings` in the reference, for five steps.
class Training {
public:
  explicit Training(const std::string &settings) : compiler(stream) {
    stored["fc.weight"] = wave({3, 4}, 0, 0.5);
    stored["fc.bias"] = wave({3}, 2, 0.5);
    frontend::ElaborateOptions options;
    options.train = "recipe";
    std::string text = model;
    if (!compiler.loadTexts("net.hkt", {{"net.hkt", text + settings + "\n}\n"}},
                            options) ||
        !compiler.runTo("differentiated")) {
      ADD_FAILURE() << stream.str();
      return;
    }
    for (int step = 0; step < 5; ++step)
      run(step);
  }

  Values losses, norms, rates;
  Values valuesOf(const std::string &name) { return stored[name].values; }
  bool has(const std::string &name) const { return stored.count(name); }

private:
  static constexpr const char *model = R"(hocket 1
model Net() {
  fc = Linear(4, 3)
  forward(x: f32[2, 4]) -> f32[2, 3] { return fc(x) }
  loss(x: f32[2, 4], y: f32[2, 3]) -> f32[] { return mse_loss(forward(x), y) }
}
train recipe of Net {
)";

  void run(int step) {
    auto give = [&](llvm::StringRef name, Tensor &tensor) {
      auto found = stored.find(name);
      if (found != stored.end())
        tensor = found->second;
      return found != stored.end();
    };
    std::vector<Tensor> outputs;
    std::string error;
    llvm::StringMap<Tensor> assigned;
    Tensor x = wave({2, 4}, 1), y = wave({2, 3}, 3);
    if (failed(reference::evaluate(onlyFunction(compiler.module()), give,
                                   {x, y, Tensor{{}, {double(step)}}}, outputs,
                                   error, &assigned))) {
      ADD_FAILURE() << error;
      return;
    }
    ASSERT_EQ(outputs.size(), 3u);
    losses.push_back(outputs[0].values[0]);
    norms.push_back(outputs[1].values[0]);
    rates.push_back(outputs[2].values[0]);
    for (auto &entry : assigned)
      stored[entry.first()] = entry.second;
  }

  std::string errors;
  llvm::raw_string_ostream stream{errors};
  Compiler compiler;
  llvm::StringMap<Tensor> stored;
};

void expectClose(const Values &found, const Values &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-9) << "at " << i;
}

} // namespace

TEST(Optimizer, AdamWWithAllSettings) {
  Training training(R"(
    optimizer adamw(lr = cosine(0.1, warmup = 2, steps = 5, min = 0.01),
                    betas = (0.9, 0.95), eps = 1e-8,
                    decay = 0.1 except {**.bias})
    clip 0.5)");
  expectClose(training.losses,
              {0.6884868039220713, 0.5168270953101971, 0.2923776848406565,
               0.18485781271413457, 0.13633613293116242});
  expectClose(training.norms,
              {1.1650617969190604, 0.9772193107005093, 0.6821729000185787,
               0.5347132821761091, 0.48024389266868184});
  expectClose(training.rates, {0.05, 0.1, 0.1, 0.0775, 0.0325});
  expectClose(training.valuesOf("fc.weight"),
              {-0.2554459857684995, 0.1481998809629599, 0.41991638729399094,
               0.7580374559577887, 0.33510378736793683, 0.07732659466814266,
               -0.12817294755500852, -0.12529073489872192, -0.6331724669446196,
               -0.322038151922564, -0.014586544942166388, 0.13966764298068443});
  expectClose(training.valuesOf("fc.bias"),
              {0.09481769451995066, -0.145876760416995, -0.2816504841170848});
}

TEST(Optimizer, AdamWAsItIs) {
  Training training("optimizer adamw(lr = 0.1)");
  expectClose(training.losses,
              {0.6884868039220713, 0.38640301102132063, 0.22799511203192602,
               0.15407703921451463, 0.11782496071309934});
  expectClose(
      training.valuesOf("fc.bias"),
      {-0.025433549708123268, -0.2728950764467582, -0.2694966895921545});
}

TEST(Optimizer, SgdWithMomentumAndDecay) {
  Training training("optimizer sgd(lr = 0.1, momentum = 0.9, decay = 0.1)");
  expectClose(training.losses,
              {0.6884868039220713, 0.5540806804085611, 0.35579273949120876,
               0.17677120290002432, 0.07191815345170244});
  expectClose(training.valuesOf("fc.weight"),
              {-0.16243163574339353, 0.13762933775827, 0.3729610831944952,
               0.4328834035266696, 0.26767023308534826, 0.10245033866398208,
               -0.11095355086175465, -0.2721742517201527, -0.5947826963584494,
               -0.4152733445220514, -0.04045444993193232, 0.3533908045793915});
}

TEST(Optimizer, Nesterov) {
  Training training("optimizer sgd(lr = 0.1, momentum = 0.9, nesterov = true)");
  expectClose(training.losses,
              {0.6884868039220713, 0.45790341569046716, 0.24873815688805848,
               0.1092636650755225, 0.04418922225190746});
  expectClose(training.valuesOf("fc.bias"),
              {-0.15503181773207558, -0.5006990090530697, -0.2052929732704202});
}

TEST(Optimizer, PlainSgdKeepsNothing) {
  Training training("optimizer sgd(lr = 0.1)");
  expectClose(training.losses,
              {0.6884868039220713, 0.5603168633040406, 0.45880601740384686,
               0.3778684657902048, 0.31290120323628573});
  EXPECT_FALSE(training.has("momentum.fc.weight"));
}

TEST(Optimizer, WhatIsFrozenStays) {
  Training training("optimizer sgd(lr = 0.1 except {**.bias})");
  expectClose(training.valuesOf("fc.bias"), wave({3}, 2, 0.5).values);
  EXPECT_LT(training.losses.back(), training.losses.front());
}

TEST(Optimizer, RatesGoDownAlongALine) {
  Training training("optimizer sgd(lr = linear(0.4, steps = 4))");
  expectClose(training.rates, {0.4, 0.3, 0.2, 0.1, 0});
}
