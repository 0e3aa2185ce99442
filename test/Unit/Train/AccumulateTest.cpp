//===- AccumulateTest.cpp - a batch in parts is the whole batch -----------===//
//
// Four micro-batches of two examples and one batch of eight give the same
// losses and parameters, dropout on, on one rank and on several.
//
//===----------------------------------------------------------------------===//

#include "TrainedProgram.h"

using namespace hocket;
using namespace hocket::test;

namespace {

const char *const program = R"(hocket 1
import "gpt2.hkt"
train parts(n: int = 1) of Gpt2 {
  optimizer  adamw(lr = 1e-3, decay = 0.1)
  clip       1.0
  accumulate n
}
schedule one for Gpt2 { }
schedule data(dp: int = 2) for Gpt2 {
  mesh (dp = dp)
  shard {tokens,targets} axis batch over dp
  statistics loss over dp
}
schedule shards(dp: int = 2) for Gpt2 {
  mesh (dp = dp)
  shard {tokens,targets} axis batch over dp
  statistics loss over dp
  fsdp h.* over dp
}
schedule heads(tp: int = 2) for Gpt2 {
  mesh (tp = tp)
  at h.* {
    shard attn.c_attn.{weight,bias} axis heads over tp
    shard attn.c_proj.weight        axis heads over tp
    shard mlp.c_fc.{weight,bias}    axis inner over tp
    shard mlp.c_proj.weight         axis inner over tp
    sync {attn,mlp}.c_proj fwd_post all_reduce over tp
  }
}
)";

class Accumulate : public TrainedProgram {
protected:
  std::string compile(const std::string &schedule, int parts, int batch) {
    std::filesystem::copy_file(
        HOCKET_SOURCE_DIR "/docs/examples/gpt2.hkt", folder.path("gpt2.hkt"),
        std::filesystem::copy_options::overwrite_existing);
    std::string file = folder.write("lm.hkt", program),
                app = folder.path(schedule + std::to_string(parts));
    ProgramResult result = runProgram(
        folder, HOCKET_PROGRAM " compile " + file +
                    " --train parts --schedule " + schedule +
                    " -D n=" + std::to_string(parts) +
                    " -D batch=" + std::to_string(batch) +
                    " -D model.layers=1 -D model.hidden=16 -D model.heads=4"
                    " -D vocab=256 -D positions=8 -D seq=8 -o " +
                    app);
    EXPECT_EQ(result.status, 0) << result.err;
    return app;
  }

  void run(const std::string &app, const std::string &options) {
    ProgramResult result = runProgram(
        folder, "cd " + folder.path("") + " && " + app + " --data " +
                    HOCKET_SOURCE_DIR
                    "/docs/language.md --token-type u8 --threads 1 " +
                    options);
    EXPECT_EQ(result.status, 0) << options << "\n" << result.err;
  }

  void expectSame(const std::string &name) {
    std::vector<nlohmann::json> found = lines(name + ".jsonl"),
                                expected = lines("whole.jsonl");
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      for (const char *number : {"loss", "grad_norm"})
        EXPECT_NEAR(found[i][number], expected[i][number], 2e-5)
            << name << ", " << number << " of step " << i + 1;
    for (const char *path : {"wte.weight", "h.0.ln_1.weight",
                             "h.0.attn.c_attn.weight", "h.0.mlp.c_fc.bias"}) {
      dev::FileTensor a = tensor(name + "/step-0000000006.safetensors", path),
                      b = tensor("whole/step-0000000006.safetensors", path);
      ASSERT_EQ(a.values.size(), b.values.size());
      for (size_t i = 0; i < a.values.size(); ++i)
        ASSERT_NEAR(a.values[i], b.values[i], 2e-5)
            << name << ", " << path << " " << i;
    }
  }
};

TEST_F(Accumulate, isTheWholeBatch) {
  run(compile("one", 1, 8),
      "--steps 6 --metrics whole.jsonl --checkpoint whole");
  for (const char *schedule : {"one", "data", "shards", "heads"}) {
    std::string name = schedule;
    run(compile(name, 4, 2),
        "--steps 6 --metrics " + name + ".jsonl --checkpoint " + name);
    expectSame(name);
  }
}

TEST_F(Accumulate, goesOnToTheBit) {
  std::string app = compile("data", 3, 2);
  run(app, "--steps 4 --checkpoint through");
  run(app, "--steps 2 --checkpoint halves");
  run(app, "--steps 4 --checkpoint halves --resume halves");
  const char *last = "/step-0000000004.safetensors";
  EXPECT_EQ(folder.read(std::string("halves") + last),
            folder.read(std::string("through") + last));
}

} // namespace
