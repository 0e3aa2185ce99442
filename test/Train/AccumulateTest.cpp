//===- AccumulateTest.cpp - a batch in parts is the whole batch -----------===//
//
// Four micro-batches of two examples and one batch of eight give the same
// losses and parameters, dropout on, on one rank and on several.
//
//===----------------------------------------------------------------------===//

#include "GptProgram.h"

using namespace hocket;
using namespace hocket::test;

namespace {

const char *const recipe = R"(
train parts(n: int = 1) of Gpt2 {
  optimizer  adamw(lr = 1e-3, decay = 0.1)
  clip       1.0
  accumulate n
}
)";

class Accumulate : public GptProgram {
protected:
  Accumulate() : GptProgram(recipe) {}

  std::string compileParts(const std::string &schedule, int parts, int batch) {
    return compile("parts", schedule,
                   "-D model.layers=1 -D model.hidden=16 -D positions=8"
                   " -D seq=8 -D n=" +
                       std::to_string(parts) +
                       " -D batch=" + std::to_string(batch));
  }

  void expectSame(const std::string &name) {
    for (const char *number : {"loss", "grad_norm"})
      EXPECT_LE(farthest(name + ".jsonl", "whole.jsonl", number), 2e-5)
          << name << ", " << number;
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
  fit(compileParts("one", 1, 8),
      "--steps 6 --metrics whole.jsonl --checkpoint whole");
  for (const char *schedule : {"one", "data", "shards", "heads"}) {
    std::string name = schedule;
    fit(compileParts(name, 4, 2),
        "--steps 6 --metrics " + name + ".jsonl --checkpoint " + name);
    expectSame(name);
  }
}

TEST_F(Accumulate, goesOnToTheBit) {
  std::string app = compileParts("data", 3, 2);
  fit(app, "--steps 4 --checkpoint through");
  fit(app, "--steps 2 --checkpoint halves");
  fit(app, "--steps 4 --checkpoint halves --resume halves");
  const char *last = "/step-0000000004.safetensors";
  EXPECT_EQ(folder.read(std::string("halves") + last),
            folder.read(std::string("through") + last));
}

} // namespace
