//===- RecipeProgramTest.cpp - what a recipe trains, as PyTorch does ------===//
//
// A linear layer, compiled with its recipe and run for five steps, against the
// numbers of test/Data/training/make_golden.py: on one rank, with one example
// on each of two, and with its three rows on two.
//
//===----------------------------------------------------------------------===//

#include "TrainedProgram.h"
#include "test/Paths.h"
#include <array>
#include <cmath>

using namespace hocket::test;

namespace {

const char *const text = R"(hocket 1
model Net() {
  fc = Linear(4, 3)
  forward(x: f32[2, 4]) -> f32[2, 3] { return fc(x) }
  loss(x: f32[2, 4], y: f32[2, 3]) -> f32[] { return mse_loss(forward(x), y) }
}
train recipe of Net {
  optimizer adamw(lr = cosine(0.1, warmup = 2, steps = 5, min = 0.01),
                  betas = (0.9, 0.95), decay = 0.1 except {**.bias})
  clip 0.5
}
schedule examples() for Net {
  mesh (dp = 2)
  shard {x,y} axis 0 over dp
  statistics loss over dp
}
schedule rows() for Net {
  mesh (tp = 2)
  shard fc.{weight,bias} axis out over tp
  shard y axis 1 over tp
  statistics loss over tp
}
)";

std::string wave(int count, double phase, double factor) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    auto value = static_cast<float>(factor * std::sin(phase + 0.7 * i));
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  return bytes;
}

class RecipeProgram : public TrainedProgram,
                      public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    folder.write("net.hkt", text);
    folder.write(
        "w.safetensors",
        safetensorsBytes(R"({"fc.weight":{"dtype":"F32","shape":[3,4],)"
                         R"("data_offsets":[0,48]},"fc.bias":{"dtype":"F32",)"
                         R"("shape":[3],"data_offsets":[48,60]}})",
                         wave(12, 0, 0.5) + wave(3, 2, 0.5)));
    folder.write("data.safetensors",
                 safetensorsBytes(R"({"x":{"dtype":"F32","shape":[2,4],)"
                                  R"("data_offsets":[0,32]},"y":{"dtype":)"
                                  R"("F32","shape":[2,3],)"
                                  R"("data_offsets":[32,56]}})",
                                  wave(8, 1, 1) + wave(6, 3, 1)));
  }
  void expectTensor(const std::string &name,
                    const std::vector<double> &expected) {
    auto found = tensor("c/step-0000000005.safetensors", name);
    ASSERT_EQ(found.values.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found.values[i], expected[i], 1e-6) << name << " " << i;
  }
};

TEST_P(RecipeProgram, trainsAsPyTorch) {
  runs(hocket::test::builtPath("bin/hocket") +
       " compile net.hkt --train recipe -o app " + std::string(GetParam()));
  runs("./app --weights w.safetensors --data data.safetensors --steps 5 "
       "--metrics m.jsonl --checkpoint c");
  const double losses[] = {0.6884868039220713, 0.5168270953101971,
                           0.2923776848406565, 0.18485781271413457,
                           0.13633613293116242};
  const double norms[] = {1.1650617969190604, 0.9772193107005093,
                          0.6821729000185787, 0.5347132821761091,
                          0.48024389266868184};
  std::vector<nlohmann::json> steps = lines("m.jsonl");
  ASSERT_EQ(steps.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(steps[i]["loss"], losses[i], 1e-6);
    EXPECT_NEAR(steps[i]["grad_norm"], norms[i], 1e-6);
  }
  expectTensor("fc.weight",
               {-0.2554459857684995, 0.1481998809629599, 0.41991638729399094,
                0.7580374559577887, 0.33510378736793683, 0.07732659466814266,
                -0.12817294755500852, -0.12529073489872192, -0.6331724669446196,
                -0.322038151922564, -0.014586544942166388,
                0.13966764298068443});
  expectTensor("fc.bias",
               {0.09481769451995066, -0.145876760416995, -0.2816504841170848});
}

INSTANTIATE_TEST_SUITE_P(Schedules, RecipeProgram,
                         testing::Values("", "--schedule examples",
                                         "--schedule rows"),
                         [](const auto &info) {
                           return std::string(std::array{"one", "examples",
                                                         "rows"}[info.index]);
                         });

} // namespace
