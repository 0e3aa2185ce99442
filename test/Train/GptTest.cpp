//===- GptTest.cpp - a small GPT-2 trained on bytes of a text -------------===//
//
// The loss of every step is the same under every schedule, dropout on, also for
// a run that goes on from what another schedule saved.
//
//===----------------------------------------------------------------------===//

#include "GptProgram.h"

using namespace hocket::test;

namespace {

const char *const recipe = R"(
train fit of Gpt2 {
  loss      loss
  optimizer adamw(lr = cosine(1e-3, warmup = 10, steps = 300), betas = (0.9, 0.95), decay = 0.1 except {**.bias,**.ln_*.**})
  clip      1.0
  precision f32 master f32 reduce f32
  seed      1
}
)";

class Gpt : public GptProgram {
protected:
  Gpt() : GptProgram(recipe) {}

  void expectSameCurve(const std::string &metrics) {
    for (const char *number : {"loss", "grad_norm", "lr"})
      EXPECT_LE(farthest(metrics, "one", number), 1e-4)
          << metrics << ", " << number;
  }
};

TEST_F(Gpt, hasOneCurveUnderEverySchedule) {
  fit(compile("fit", "one"), "--steps 20 --metrics one");
  EXPECT_LT(lines("one")[19]["loss"], lines("one")[0]["loss"]);
  for (std::string schedule : {"sequence", "data", "data_and_heads"}) {
    fit(compile("fit", schedule), "--steps 20 --metrics " + schedule);
    expectSameCurve(schedule);
  }
  // Saved by two ranks that split heads, gone on with by four that split the
  // batch.
  fit(compile("fit", "heads"), "--steps 10 --metrics m --checkpoint c");
  fit(compile("fit", "data", std::string(usualSizes) + " -D schedule.dp=4"),
      "--steps 20 --metrics m --resume c");
  expectSameCurve("m");
}

} // namespace
