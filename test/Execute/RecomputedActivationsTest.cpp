//===- RecomputedActivationsTest.cpp - layers computed again, the formula -===//
//
// With all of a layer computed again in the backward, one more layer adds its
// input to a rank's activations and nothing else (Korthikanti et al., arXiv
// 2205.05198, full recomputation): seq * batch * hidden values, the batch over
// the data-parallel ranks, the sequence, under sequence parallelism, over the
// tensor-parallel ones. What fsdp gathers and scatters lives for one layer.
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include <gtest/gtest.h>

using namespace hocket::test;

namespace {

struct Case {
  const char *schedule;
  int64_t dp, tp, parts; // ranks among which a layer's input is split
};

constexpr Case cases[] = {{"whole", 1, 1, 1},
                          {"by_tensor", 1, 2, 1},
                          {"by_sequence", 1, 2, 2},
                          {"by_batch", 2, 1, 2},
                          {"all_three", 2, 2, 4}};

struct Model {
  const char *file, *layers;
  int64_t hidden, heads, batch, seq;
  std::vector<std::pair<std::string, int64_t>> more;
};

const Model gpt2{"test/Execute/Inputs/recomputed-gpt2.hkt",
                 "layers",
                 128,
                 4,
                 2,
                 256,
                 {{"positions", 256}}};
const Model llama{
    "test/Execute/Inputs/recomputed-llama.hkt", "depth", 96, 6, 4, 64,
    {{"kv_heads", 2}, {"inner", 256}}};

int64_t arenaOf(const Model &model, const Case &which, int64_t layers) {
  ArenaProgram program{model.file, which.schedule, "", model.more};
  for (auto define : {std::pair<std::string, int64_t>{model.layers, layers},
                      {"hidden", model.hidden},
                      {"heads", model.heads},
                      {"batch", model.batch},
                      {"seq", model.seq},
                      {"vocab", 48},
                      {"dp", which.dp},
                      {"tp", which.tp}})
    program.defines.push_back(define);
  return hocket::test::arenaOf(program);
}

void expectOneValueOfALayer(const Model &model) {
  int64_t value = 4 * model.seq * model.batch * model.hidden;
  for (const Case &which : cases) {
    int64_t growth = (arenaOf(model, which, 10) - arenaOf(model, which, 6)) / 4;
    EXPECT_EQ(growth, value / which.parts) << which.schedule;
  }
}

TEST(RecomputedActivations, Gpt2KeepsTheInputOfEachLayer) {
  expectOneValueOfALayer(gpt2);
}

TEST(RecomputedActivations, LlamaKeepsTheInputOfEachLayer) {
  expectOneValueOfALayer(llama);
}

} // namespace
