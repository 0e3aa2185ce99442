//===- GptTest.cpp - a small GPT-2 trained on bytes of a text -------------===//
//
// The loss of every step is the same under every schedule, dropout on, also for
// a run that goes on from what another schedule saved.
//
//===----------------------------------------------------------------------===//

#include "TrainedProgram.h"

using namespace hocket::test;

namespace {

const char *const program = R"(hocket 1
import "gpt2.hkt"
train fit of Gpt2 {
  loss      loss
  optimizer adamw(lr = cosine(1e-3, warmup = 10, steps = 300), betas = (0.9, 0.95), decay = 0.1 except {**.bias,**.ln_*.**})
  clip      1.0
  precision f32 master f32 reduce f32
  seed      1
}
schedule one for Gpt2 { }
def heads_over(ax: mesh_axis) {
  shard attn.c_attn.{weight,bias} axis heads over ax
  shard attn.c_proj.weight        axis heads over ax
  shard mlp.c_fc.{weight,bias}    axis inner over ax
  shard mlp.c_proj.weight         axis inner over ax
}
schedule data(dp: int = 2) for Gpt2 {
  mesh (dp = dp)
  shard {tokens,targets} axis batch over dp
  statistics loss over dp
}
schedule heads(tp: int = 2) for Gpt2 {
  mesh (tp = tp)
  shard wte.weight axis vocab over tp
  sync wte fwd_post all_reduce over tp
  statistics loss over tp
  at h.* {
    use heads_over(tp)
    sync {attn,mlp}.c_proj fwd_post all_reduce over tp
  }
}
schedule both for Gpt2 {
  mesh (dp = 2, tp = 2)
  shard {tokens,targets} axis batch over dp
  shard wte.weight axis vocab over tp
  sync wte fwd_post all_reduce over tp
  statistics loss over (dp, tp)
  at h.* {
    use heads_over(tp)
    sync {attn,mlp}.c_proj fwd_post all_reduce over tp
  }
}
)";

class Gpt : public TrainedProgram {
protected:
  std::string compile(const std::string &schedule, const std::string &name) {
    std::filesystem::copy_file(
        HOCKET_SOURCE_DIR "/docs/examples/gpt2.hkt", folder.path("gpt2.hkt"),
        std::filesystem::copy_options::overwrite_existing);
    std::string file = folder.write("lm.hkt", program);
    ProgramResult result = runProgram(
        folder, HOCKET_PROGRAM " compile " + file + " --train fit --schedule " +
                    schedule +
                    " -D model.layers=2 -D model.hidden=32 -D model.heads=4"
                    " -D vocab=256 -D positions=32 -D batch=4 -D seq=32 -o " +
                    folder.path(name));
    EXPECT_EQ(result.status, 0) << result.err;
    return folder.path(name);
  }

  void run(const std::string &app, const std::string &options) {
    ProgramResult result = runProgram(
        folder, "cd " + folder.path("") + " && " + app + " --data " +
                    HOCKET_SOURCE_DIR
                    "/docs/language.md --token-type u8 --threads 1 " +
                    options);
    EXPECT_EQ(result.status, 0) << options << "\n" << result.err;
  }

  void expectSameCurve(const std::string &metrics) {
    std::vector<nlohmann::json> found = lines(metrics), expected = lines("one");
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      for (const char *number : {"loss", "grad_norm", "lr"})
        EXPECT_NEAR(found[i][number], expected[i][number], 1e-4)
            << metrics << ", " << number << " of step " << i + 1;
  }
};

TEST_F(Gpt, hasOneCurveUnderEverySchedule) {
  run(compile("one", "one_app"), "--steps 20 --metrics one");
  EXPECT_LT(lines("one")[19]["loss"], lines("one")[0]["loss"]);
  run(compile("data", "dp2"), "--steps 20 --metrics dp2.jsonl");
  expectSameCurve("dp2.jsonl");
  run(compile("both", "both_app"), "--steps 20 --metrics both.jsonl");
  expectSameCurve("both.jsonl");
  // Saved by two ranks that split heads, gone on with by four that split the
  // batch.
  run(compile("heads", "tp2"), "--steps 10 --metrics m --checkpoint c");
  run(compile("data -D schedule.dp=4", "dp4"),
      "--steps 20 --metrics m --resume c");
  expectSameCurve("m");
}

} // namespace
