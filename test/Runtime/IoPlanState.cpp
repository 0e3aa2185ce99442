//===- IoPlanState.cpp - plans with states: written, read, checked --------===//

#include "hocket/Plan/Check.h"
#include "hocket/Plan/Summary.h"
#include "test/Runtime/SamplePlan.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace hocket::plan;

namespace {

/// The sample plan whose weight is a state, with a second one beside it.
Plan statePlan() {
  Plan plan = samplePlan();
  plan.parameters[1].init = {InitKind::Constant, 0};
  plan.states = {plan.parameters[0],
                 {"momentum.proj.bias", DType::F32, {6}, {6}, {}, {0}}};
  for (size_t rank = 0; rank < 2; ++rank) {
    RankClass &c = plan.classes[rank];
    c.buffers[0].region = Region::State;
    c.buffers[1].offset = 0;
    c.budget.weightBytes = 64;
    int64_t offset = rank == 0 ? 64 : 128;
    c.buffers.push_back({Region::State, offset, 24, DType::F32});
    c.budget.stateBytes = offset + 64;
    c.states = {0, 6};
    View momentum{6, 0, {}, {6}, {1}};
    c.load.push_back({-1, Fill{momentum, 0.5}});
    c.step.push_back({-1, Copy{View{1, 0, {}, {6}, {1}}, momentum}});
  }
  plan.recipe.data = "text.bin";
  plan.recipe.steps = 9;
  return plan;
}

TEST(StatePlan, isReadAsItWasWritten) {
  Plan plan = statePlan(), read;
  std::string error;
  ASSERT_TRUE(check(plan, error)) << error;
  ASSERT_TRUE(fromJson(toJson(plan), read, error)) << error;
  EXPECT_EQ(toJson(read), toJson(plan));
  EXPECT_EQ(read.states.size(), 2u);
  EXPECT_EQ(read.recipe.data, "text.bin");
  EXPECT_EQ(read.recipe.steps, 9);
  EXPECT_EQ(read.recipe.keep, 0);
  EXPECT_EQ(read.parameters[1].init, (Init{InitKind::Constant, 0}));
  EXPECT_EQ(read.parameters[0].init, Init());
  EXPECT_EQ(read.classes[1].states, (std::vector<int>{0, 6}));
  std::vector<uint8_t> cbor = toCbor(plan);
  ASSERT_TRUE(fromCbor(cbor.data(), cbor.size(), read, error)) << error;
  EXPECT_EQ(toJson(read), toJson(plan));
}

TEST(StatePlan, countsItsBytes) {
  EXPECT_EQ(summary(statePlan())["state_bytes"].dump(), "[88,152]");
}

struct BadEdit {
  const char *sentence;
  void (*edit)(Plan &plan);
};
class BadState : public testing::TestWithParam<BadEdit> {};

TEST_P(BadState, isRefused) {
  Plan plan = statePlan();
  GetParam().edit(plan);
  std::string error;
  EXPECT_FALSE(check(plan, error));
  EXPECT_EQ(error, GetParam().sentence);
}

const BadEdit edits[] = {
    {"state 'proj.weight': appears twice",
     [](Plan &p) { p.states[1] = p.states[0]; }},
    {"state 'momentum.proj.bias': ranks write 12 of 6 elements",
     [](Plan &p) { p.states[1].replicatedOver = {}; }},
    {"class 1: has buffers for 1 states, there are 2",
     [](Plan &p) { p.classes[1].states.pop_back(); }},
    {"class 0: buffer 7 of the state 'proj.weight' does not exist",
     [](Plan &p) { p.classes[0].states[0] = 7; }},
    {"class 0: the buffer of the state 'proj.weight' is f32 in arena, expected "
     "f32 in state",
     [](Plan &p) { p.classes[0].states[0] = 2; }},
    {"class 0: the buffer of the state 'momentum.proj.bias' has 20 bytes, rank "
     "0 has 24 of it",
     [](Plan &p) { p.classes[0].buffers[6].bytes = 20; }},
    {"class 1: two states lie at byte 64 of the state bytes",
     [](Plan &p) { p.classes[1].buffers[6].offset = 64; }},
    {"class 0, buffer 6: ends at byte 216 of 128 state bytes",
     [](Plan &p) { p.classes[0].buffers[6].offset = 192; }},
    {"class 0: the budget is out of range",
     [](Plan &p) { p.classes[0].budget.stateBytes = -1; }},
    {"parameter 'proj.weight' begins with a number that cannot be",
     [](Plan &p) { p.parameters[0].init.value = -1; }},
    {"parameter 'proj.bias' begins with a number that cannot be",
     [](Plan &p) { p.parameters[1].init.value = std::nan(""); }},
    {"recipe: says -3", [](Plan &p) { p.recipe.keep = -3; }},
    {"validation: is 2 programs, expected one",
     [](Plan &p) { p.validation.resize(2); }},
    {"validation: is no program of one number on the same mesh",
     [](Plan &p) { p.validation = {samplePlan()}; }},
};
INSTANTIATE_TEST_SUITE_P(Edits, BadState, testing::ValuesIn(edits));

} // namespace
