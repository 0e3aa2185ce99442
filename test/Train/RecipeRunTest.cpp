//===- RecipeRunTest.cpp - what a recipe says of a run --------------------===//
//
// Its defaults are taken where no option is given; it validates with dropout
// off, which an inference program of the same checkpoint confirms, and without
// changing what is trained.
//
//===----------------------------------------------------------------------===//

#include "TrainedProgram.h"
#include "test/Paths.h"
#include <cstring>

using namespace hocket;
using namespace hocket::test;

namespace {

const char *const program = R"(hocket 1
import "tutorial.hkt"
train run of Bytes {
  optimizer  adamw(lr = 1e-2)
  seed       3
  steps      4
  data       "text.bin" tokens u8
  checkpoint "run" every 2 keep 5
  validate   2 batches 1 data "held.bin"
}
train bare of Bytes { optimizer adamw(lr = 1e-2) }
train starts of Bytes {
  optimizer adamw(lr = 1e-2)
  init      "other/step-0000000002.safetensors"
}
schedule parts(dp: int = 2) for Bytes {
  mesh (dp = dp)
  shard {tokens,targets} axis batch over dp
  statistics loss over dp
  fsdp h.* over dp
}
)";

constexpr int batch = 2, seq = 8;

class RecipeRun : public TrainedProgram {
protected:
  void SetUp() override {
    std::filesystem::copy_file(test::sourcePath("docs/examples/tutorial.hkt"),
                               folder.path("tutorial.hkt"));
    folder.write("run.hkt", program);
    std::string text;
    for (int i = 0; i < 500; ++i)
      text += char('a' + i * i % 23);
    folder.write("text.bin", text);
    folder.write("held.bin", text.substr(100, batch * seq + 1));
    writeHeld(text.substr(100));
  }

  /// The windows of held.bin as inputs.
  void writeHeld(const std::string &text) {
    std::string data;
    for (int later : {1, 0}) // by name: targets, tokens
      for (int i = 0; i < batch * seq; ++i) {
        int32_t token = static_cast<unsigned char>(text[i + later]);
        data.append(reinterpret_cast<const char *>(&token), sizeof token);
      }
    folder.write(
        "held.safetensors",
        safetensorsBytes(R"({"targets":{"dtype":"I32","shape":[2,8],)"
                         R"("data_offsets":[0,64]},"tokens":{"dtype":"I32",)"
                         R"("shape":[2,8],"data_offsets":[64,128]}})",
                         data));
  }

  void compile(const std::string &options) {
    runs(test::builtPath("bin/hocket") +
         " compile run.hkt -D layers=1 -D hidden=16 -D heads=2"
         " -D batch=2 -D seq=8 " +
         options);
  }
};

TEST_F(RecipeRun, validatesAsInferenceDoes) {
  compile("--train run -o app");
  compile("--train run --schedule parts -o two");
  compile("--function loss -o loss");
  runs("./app --metrics m.jsonl");
  EXPECT_EQ(listed("run"),
            (std::vector<std::string>{"step-0000000002.safetensors",
                                      "step-0000000004.safetensors"}));
  std::vector<nlohmann::json> steps = lines("m.jsonl");
  ASSERT_EQ(steps.size(), 4u);
  for (int i : {0, 2})
    EXPECT_FALSE(steps[i].contains("validation_loss"));
  // A checkpoint's parameters are weights.
  for (int i : {2, 4}) {
    std::string number = std::to_string(i);
    runs("./loss --weights run/step-000000000" + number +
         ".safetensors --input held.safetensors --output " + number +
         ".safetensors");
    double loss = tensor(number + ".safetensors", "loss").values[0];
    EXPECT_NEAR(steps[i - 1]["validation_loss"], loss, 1e-6) << i;
  }
  runs("./two --metrics two.jsonl --checkpoint other");
  for (int i : {1, 3})
    EXPECT_NEAR(lines("two.jsonl")[i]["validation_loss"],
                steps[i]["validation_loss"], 1e-5);
}

TEST_F(RecipeRun, validatesWithoutAnEffect) {
  compile("--train run --schedule parts -o app");
  runs("./app");
  runs("./app --validate-every 0 --checkpoint never");
  const char *last = "/step-0000000004.safetensors";
  EXPECT_EQ(folder.read(std::string("run") + last),
            folder.read(std::string("never") + last));
  runs("./app --steps 6 --resume run --metrics m.jsonl");
  EXPECT_TRUE(lines("m.jsonl").back().contains("validation_loss"));
}

TEST_F(RecipeRun, givesDefaults) {
  compile("--train run -o app");
  std::string help = inFolder("./app --help").out;
  for (const char *line : {"the recipe says 4\n", "the recipe says text.bin\n",
                           "the recipe says u8\n", "the recipe says 3\n"})
    EXPECT_NE(help.find(line), std::string::npos) << line << help;
  // Options win.
  runs("./app --steps 3 --seed 4 --metrics m.jsonl --keep 1");
  EXPECT_EQ(lines("m.jsonl").size(), 3u);
  EXPECT_EQ(listed("run"),
            std::vector<std::string>{"step-0000000003.safetensors"});
  // What another run saved, as parameters to begin with.
  runs("./app --checkpoint other");
  compile("--train starts -o on");
  runs("./on --data text.bin --token-type u8 --steps 1 --metrics on.jsonl");
  EXPECT_NE(lines("on.jsonl")[0]["loss"], lines("m.jsonl")[0]["loss"]);
}

TEST_F(RecipeRun, saysWhatIsMissing) {
  compile("--train bare -o bare");
  ProgramResult result =
      inFolder("./bare --data text.bin --steps 1 --validate-every 2");
  EXPECT_EQ(result.err,
            "error: missing --validation-data FILE: the loss there is wanted "
            "after every 2 steps (or --validate-every 0)\n");
  result = inFolder("./bare --data text.bin --steps 1 --validate-every 2 "
                    "--validation-data held.bin");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "error: the program cannot validate: compile it with a "
                        "recipe that says 'validate 100'\n");
}

} // namespace
