//===- PrecisionTest.cpp - training that computes in bf16 and f16 ---------===//
//
// A small GPT-2 in bfloat16 keeps to the losses of float32, under every
// schedule, and its checkpoint holds float32. In float16 the loss is scaled: a
// step whose gradients are too large on one rank is left out on all.
//
//===----------------------------------------------------------------------===//

#include "GptProgram.h"
#include "test/Paths.h"
#include <cstring>

using namespace hocket;
using namespace hocket::test;

namespace {

const char *const recipes = R"(
train f32 of Gpt2 {
  optimizer adamw(lr = cosine(1e-3, warmup = 10, steps = 300), betas = (0.9, 0.95), decay = 0.1)
  clip      1.0
  seed      1
}
train bf16 of Gpt2 {
  optimizer adamw(lr = cosine(1e-3, warmup = 10, steps = 300), betas = (0.9, 0.95), decay = 0.1)
  clip      1.0
  precision bf16 master f32 reduce f32
  seed      1
}
train bf16_sums of Gpt2 {
  optimizer adamw(lr = cosine(1e-3, warmup = 10, steps = 300), betas = (0.9, 0.95), decay = 0.1)
  clip      1.0
  precision bf16 reduce bf16
  seed      1
}
train f16 of Gpt2 {
  optimizer adamw(lr = cosine(1e-3, warmup = 10, steps = 300), betas = (0.9, 0.95), decay = 0.1)
  clip      1.0
  precision f16 scale dynamic
  seed      1
}
)";

class Precision : public GptProgram {
protected:
  Precision() : GptProgram(recipes) {}

  void expectCurve(const std::string &metrics, double bound) {
    double distance = farthest(metrics, "f32");
    EXPECT_LT(distance, bound) << metrics;
    EXPECT_GT(distance, 1e-7) << metrics << " is float32's";
    std::printf("%s: %g from float32\n", metrics.c_str(), distance);
  }

  std::string bytesOf(const std::string &file) {
    std::ifstream stream(folder.path(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(Precision, keepsToTheLossesOfFloat32) {
  fit(compile("f32", "one"), "--steps 20 --metrics f32");
  for (const char *schedule : {"one", "data", "shards", "heads"}) {
    std::string metrics = std::string("bf16_") + schedule;
    fit(compile("bf16", schedule), "--steps 20 --metrics " + metrics);
    expectCurve(metrics, 2e-3);
  }
  fit(compile("bf16_sums", "data"), "--steps 20 --metrics sums");
  expectCurve("sums", 2e-3);
  fit(compile("f16", "data"), "--steps 20 --metrics half");
  expectCurve("half", 2e-4);
  for (const nlohmann::json &line : lines("half"))
    EXPECT_EQ(line["loss_scale"], 65536);
}

TEST_F(Precision, resumesToTheBit) {
  for (const char *recipe : {"bf16", "f16"}) {
    std::string app = compile(recipe, "shards"), name = recipe;
    fit(app, "--steps 6 --checkpoint whole_" + name);
    fit(app, "--steps 3 --checkpoint cut_" + name);
    fit(app, "--steps 6 --checkpoint cut_" + name + " --resume cut_" + name);
    std::string file = name + "/step-0000000006.safetensors";
    std::string whole = bytesOf("whole_" + file);
    EXPECT_FALSE(whole.empty());
    EXPECT_TRUE(whole == bytesOf("cut_" + file));
    // Master weights and what the optimizer keeps.
    EXPECT_NE(whole.find("\"dtype\":\"F32\""), std::string::npos);
    EXPECT_EQ(whole.find("\"dtype\":\"F16\""), std::string::npos);
    EXPECT_EQ(whole.find("\"dtype\":\"BF16\""), std::string::npos);
  }
}

// The first half of the rows is so far off that its gradients do not fit in
// float16 when the scale is large; the other rank's half is right.
const char *const net = R"(hocket 1
model Net() {
  fc = Linear(2, 2, bias = false)
  forward(x: f32[2, 2]) -> f32[2, 2] { return fc(x) }
  loss(x: f32[2, 2], y: f32[2, 2]) -> f32[] { return mse_loss(forward(x), y) }
}
train dynamic of Net {
  optimizer adamw(lr = 0.01)
  precision f16
}
train fixed of Net {
  optimizer sgd(lr = 0.01)
  precision f16 scale 32768
}
schedule rows for Net {
  mesh (dp = 2)
  shard {x,y} axis 0 over dp
  statistics loss over dp
}
)";

std::string floats(const std::vector<float> &values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class Overflow : public TrainedProgram {
protected:
  void SetUp() override {
    folder.write("net.hkt", net);
    folder.write("w.safetensors",
                 safetensorsBytes(R"({"fc.weight":{"dtype":"F32","shape":)"
                                  R"([2,2],"data_offsets":[0,16]}})",
                                  floats({1, 0, 0, 1})));
    folder.write(
        "data.safetensors",
        safetensorsBytes(R"({"x":{"dtype":"F32","shape":[2,2],"data_offsets":)"
                         R"([0,16]},"y":{"dtype":"F32","shape":[2,2],)"
                         R"("data_offsets":[16,32]}})",
                         floats({1, 1, 1, 1, 9, 9, 1, 1})));
  }
  void compile(const std::string &options) {
    runs(test::builtPath("bin/hocket") + " compile net.hkt -o app " + options);
  }
  void step(const std::string &options) {
    runs("./app --weights w.safetensors --data data.safetensors --threads 1 " +
         options);
  }
};

// dL/dy is 2 (1 - 9) / 4 = -4: times 65536, 32768 and 16384 too much for
// float16, times 8192 it fits.
TEST_F(Overflow, leavesTheStepOutOnAllRanks) {
  for (const char *options :
       {"--train dynamic", "--train dynamic --schedule rows"}) {
    compile(options);
    step("--steps 5 --save-every 1 --keep 9 --checkpoint c "
         "--metrics m");
    std::vector<nlohmann::json> metrics = lines("m");
    ASSERT_EQ(metrics.size(), 5u);
    const double scales[] = {65536, 32768, 16384, 8192, 8192};
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(metrics[i]["loss_scale"], scales[i]) << options << i;
      EXPECT_EQ(metrics[i]["grad_norm"].is_null(), i < 3) << options << i;
      std::string file =
          "c/step-000000000" + std::to_string(i + 1) + ".safetensors";
      double moved = tensor(file, "fc.weight").values[0] - 1;
      if (i < 3)
        EXPECT_EQ(moved, 0) << options << i;
      else // Adam's first step is the rate: bias is corrected by updates made.
        EXPECT_NEAR(moved, 0.01 * (i - 2), 2e-4) << options << i;
      EXPECT_EQ(tensor(file, "updates").values[0], std::max(0, i - 2));
      EXPECT_EQ(tensor(file, "loss_scale_steps").values[0], std::max(0, i - 2));
    }
    std::filesystem::remove_all(folder.path("c"));
    std::filesystem::remove(folder.path("m"));
  }
}

TEST_F(Overflow, doublesTheScaleAfterManyGoodSteps) {
  compile("--train dynamic");
  step("--steps 2010 --metrics m");
  std::vector<nlohmann::json> metrics = lines("m");
  ASSERT_EQ(metrics.size(), 2010u);
  EXPECT_EQ(metrics[2002]["loss_scale"], 8192);
  EXPECT_EQ(metrics[2003]["loss_scale"], 16384);
}

TEST_F(Overflow, leavesAFixedScaleAsItIs) {
  compile("--train fixed --schedule rows");
  step("--steps 2 --checkpoint c --metrics m");
  for (const nlohmann::json &line : lines("m")) {
    EXPECT_EQ(line["loss_scale"], 32768);
    EXPECT_TRUE(line["grad_norm"].is_null());
  }
  EXPECT_EQ(tensor("c/step-0000000002.safetensors", "fc.weight").values[0], 1);
}

} // namespace
