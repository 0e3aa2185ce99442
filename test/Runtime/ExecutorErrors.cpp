//===- ExecutorErrors.cpp - what an executor refuses or reports -----------===//

#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "runtime/lib/Cpu/Device/Memory.h"
#include "runtime/lib/Executor/Decision.h"
#include "test/Runtime/PlanBuilder.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace hocket;
using namespace hocket::test;
using plan::Region;
using runtime::ErrorKind;
using runtime::Executor;
using runtime::MemoryTensors;
using runtime::Status;

namespace {

std::atomic<bool> released;

/// Stalls on the rank whose scalar is 1, until the test ends.
void stall(void *const *, const int64_t *scalars, int64_t, int64_t) {
  while (scalars[0] == 1 && !released)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// On 3 ranks: out = all_reduce(rows of `table` picked by the rank's ids).
plan::Plan lookUpAndReduce(bool stalls) {
  plan::Plan plan;
  plan.mesh = {{"tp", 3}};
  plan.tables = {{{0}, {0, 1, 0}}, {{0}, {0, 2, 4}}, {{0}, {2, 2, 2}}};
  plan.sources = {{"embed", "m.hkt:2:1", ""},
                  {"h.0", "m.hkt:3:1", "s.hkt:5:6"},
                  {"slow", "m.hkt:4:1", ""}};
  plan.inputs = {tensor("ids", {6}, {{0, 1, 2}}, plan::DType::I64)};
  plan.parameters = {tensor("table", {10, 4})};
  plan.outputs = {tensor("y", {2, 4})};
  plan.outputs[0].replicatedOver = {0};
  ClassBuilder c({0, 1, 2});
  plan::View ids = c.box(Region::Input, 0, {2}, plan::DType::I64);
  plan::View y = c.box(Region::Output, 0, {2, 4});
  plan::View table = c.weight({10, 4}), rows = c.arena({2, 4});
  c.result.load = {{0, plan::ReadParameter{0, table, {}}}};
  plan::Embedding embedding{table, ids, rows, {}, 10};
  plan::Kernel kernel;
  kernel.symbol = "stall";
  kernel.inputs = {rows};
  kernel.scalars = {plan::Scalar{0, 0, 1}};
  kernel.extent = 1;
  plan::Collective reduce;
  reduce.axes = {0}, reduce.pairs = {{rows, y}};
  c.result.step.push_back({0, embedding});
  if (stalls)
    c.result.step.push_back({2, kernel});
  c.result.step.push_back({1, reduce});
  plan.classes = {c.result};
  return plan;
}

struct Trial {
  explicit Trial(bool stalls, double deadline = 30)
      : plan(lookUpAndReduce(stalls)) {
    weights.add("table", plan::DType::F32, {10, 4});
    inputs.add("ids", plan::DType::I64, {6});
    options.deadlineSeconds = deadline;
    Status status = Executor::create(
        plan, runtime::cpuDevices({{"stall", stall}}), options, executor);
    EXPECT_TRUE(status.ok()) << status.message;
  }
  int64_t &id(int i) { return inputs.find("ids")->as<int64_t>()[i]; }

  plan::Plan plan;
  runtime::ExecutorOptions options;
  MemoryTensors weights{"weights 'w.safetensors'"}, inputs{"input 'in.npy'"};
  MemoryTensors outputs;
  std::unique_ptr<Executor> executor;
};

} // namespace

TEST(ExecutorErrors, BadPlanIsRefused) {
  plan::Plan plan = lookUpAndReduce(false);
  plan.classes[0].buffers[2].bytes = 1;
  std::unique_ptr<Executor> executor;
  Status status = Executor::create(plan, runtime::cpuDevices({}), {}, executor);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message.rfind("the plan cannot be run: ", 0), 0u)
      << status.message;
  EXPECT_FALSE(executor);
}

TEST(ExecutorErrors, MissingKernelIsNamed) {
  plan::Plan plan = lookUpAndReduce(true);
  std::unique_ptr<Executor> executor;
  Status status = Executor::create(plan, runtime::cpuDevices({}), {}, executor);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "rank 0: kernel of \"slow\" (m.hkt:4:1): the executable "
            "has no kernel \"stall\"");
}

TEST(ExecutorErrors, MissingHookIsNamed) {
  plan::Plan plan = lookUpAndReduce(true);
  std::vector<plan::Instruction> &step = plan.classes[0].step;
  plan::View rows = std::get<plan::Kernel>(step[1].body).inputs[0];
  plan::View y = std::get<plan::Collective>(step[2].body).pairs[0].dst;
  step[1].body = plan::Hook{"own", {rows}, {y}};
  std::unique_ptr<Executor> executor;
  Status status = Executor::create(plan, runtime::cpuDevices({}), {}, executor);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message, "rank 0: hook of \"slow\" (m.hkt:4:1): the "
                            "executable has no hook \"own\"");
}

TEST(ExecutorErrors, WeightsThatDoNotFit) {
  Trial trial(false);
  trial.weights = MemoryTensors("weights 'w.safetensors'");
  Status status = trial.executor->load(trial.weights);
  EXPECT_EQ(status.kind, ErrorKind::User);
  EXPECT_EQ(status.message, "weights 'w.safetensors': there is no \"table\", "
                            "expected [10, 4] f32");
  trial.weights.add("table", plan::DType::F32, {10, 5});
  EXPECT_EQ(trial.executor->load(trial.weights).message,
            "weights 'w.safetensors': \"table\" is [10, 5] f32, expected "
            "[10, 4] f32");
  trial.weights.add("table", plan::DType::I32, {10, 4});
  EXPECT_EQ(trial.executor->load(trial.weights).message,
            "weights 'w.safetensors': \"table\" is [10, 4] i32, expected "
            "[10, 4] f32");
  // Nothing has run, so a second attempt may succeed.
  trial.weights.add("table", plan::DType::F16, {10, 4});
  EXPECT_TRUE(trial.executor->load(trial.weights).ok());
  EXPECT_TRUE(trial.executor->step(trial.inputs, trial.outputs).ok());
}

TEST(ExecutorErrors, AllThatDoNotFitAreListed) {
  Trial trial(false);
  trial.plan.parameters.push_back(tensor("other", {2}));
  trial.weights = MemoryTensors("weights");
  EXPECT_EQ(trial.executor->load(trial.weights).message,
            "weights: 2 tensors do not fit\n"
            "  there is no \"table\", expected [10, 4] f32\n"
            "  there is no \"other\", expected [2] f32");
}

TEST(ExecutorErrors, StepBeforeLoad) {
  Trial trial(false);
  EXPECT_EQ(trial.executor->step(trial.inputs, trial.outputs).message,
            "a step needs weights: load comes first");
}

TEST(ExecutorErrors, StepBeforeInputs) {
  Trial trial(false);
  ASSERT_TRUE(trial.executor->load(trial.weights).ok());
  EXPECT_EQ(trial.executor->step().message,
            "a step needs inputs: reading them comes first");
  EXPECT_EQ(
      trial.executor->readInputs(MemoryTensors("inputs")).message,
      trial.executor->step(MemoryTensors("inputs"), trial.outputs).message);
}

// Ranks 1 and 2 both have a bad id; the lowest is named in every run.
TEST(ExecutorErrors, BadIdIsTheUsers) {
  for (int repeat = 0; repeat < 5; ++repeat) {
    Trial trial(false);
    ASSERT_TRUE(trial.executor->load(trial.weights).ok());
    trial.id(3) = 10;
    trial.id(4) = -7;
    Status status = trial.executor->step(trial.inputs, trial.outputs);
    EXPECT_EQ(status.kind, ErrorKind::User);
    EXPECT_EQ(status.message,
              "rank 1: embedding of \"embed\" (m.hkt:2:1): input \"ids\" "
              "holds 10, which is outside [0, 10)");
    EXPECT_EQ(trial.executor->step(trial.inputs, trial.outputs).message,
              status.message);
  }
}

// The sums of a step after ranks 1 and 2 have failed before they came to the
// reduction that rank 0 waits in.
TEST(ExecutorErrors, RanksRecoverWhereAllHaveEnded) {
  Trial trial(false);
  for (int i = 0; i < 40; ++i)
    trial.weights.find("table")->as<float>()[i] = float(i);
  ASSERT_TRUE(trial.executor->load(trial.weights).ok());
  for (int repeat = 0; repeat < 5; ++repeat) {
    trial.id(3) = 10;
    trial.id(4) = -7;
    ASSERT_FALSE(trial.executor->step(trial.inputs, trial.outputs).ok());
    EXPECT_TRUE(trial.executor->recover());
    trial.id(3) = trial.id(4) = repeat;
    Status status = trial.executor->step(trial.inputs, trial.outputs);
    ASSERT_TRUE(status.ok()) << status.message;
    // Rows 0 and 0, 0 and `repeat`, `repeat` and 0.
    EXPECT_EQ(trial.outputs.find("y")->as<float>()[0], float(4 * repeat));
    EXPECT_EQ(trial.outputs.find("y")->as<float>()[5], float(4 * repeat + 3));
  }
}

TEST(ExecutorErrors, StalledRankIsNamedInTime) {
  released = false;
  auto begin = std::chrono::steady_clock::now();
  {
    Trial trial(true, 0.3);
    ASSERT_TRUE(trial.executor->load(trial.weights).ok());
    Status status = trial.executor->step(trial.inputs, trial.outputs);
    EXPECT_EQ(status.kind, ErrorKind::Runtime);
    std::string text = status.message;
    size_t by = text.find(" of rank ");
    ASSERT_NE(by, text.npos) << text;
    text.erase(by, 10); // rank 0 or rank 2 notices first
    EXPECT_EQ(text, "rank 1 did not reach all_reduce of \"h.0\" (s.hkt:5:6) "
                    "within 0.3 s; rank 1 is in kernel of \"slow\" "
                    "(m.hkt:4:1)");
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    EXPECT_LT(seconds, 4);
    EXPECT_FALSE(trial.executor->recover()); // rank 1 has not ended
    // The plan and the executor's memory must last as long as the stuck rank.
    released = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

// A stall behind the last collective: nobody waits for the rank but the caller.
TEST(ExecutorErrors, RankWithoutMemoryIsNamed) {
  plan::Plan plan = lookUpAndReduce(true);
  auto takesAll = [](void *const *, const int64_t *scalars, int64_t, int64_t) {
    if (scalars[0] == 1)
      throw std::bad_alloc();
  };
  std::unique_ptr<Executor> executor;
  ASSERT_TRUE(Executor::create(plan, runtime::cpuDevices({{"stall", takesAll}}),
                               {}, executor)
                  .ok());
  Trial values(false);
  ASSERT_TRUE(executor->load(values.weights).ok());
  Status status = executor->step(values.inputs, values.outputs);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "rank 1: no memory is left; raise its limit (ulimit -v, or the "
            "container's), or compile for more ranks");
}

TEST(ExecutorErrors, ChangeBeforeTheLossIsKnown) {
  plan::Plan plan;
  plan.states = {tensor("weight", {4})};
  plan.outputs = {tensor("loss", {1})};
  ClassBuilder c({0});
  plan::View loss = c.box(Region::Output, 0, {1});
  plan::View weight = c.box(Region::State, 0, {4});
  c.result.step = {{-1, plan::Fill{loss, 1}}, {-1, plan::Fill{weight, 1}}};
  runtime::Decision decision;
  EXPECT_TRUE(findDecision(plan, c.result, decision).ok());
  EXPECT_EQ(decision.at, 1u);

  std::swap(c.result.step[0], c.result.step[1]);
  Status status = findDecision(plan, c.result, decision);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "the program changes parameters before 'loss' is known");
}

TEST(ExecutorErrors, RankThatDoesNotEndIsNamed) {
  released = false;
  plan::Plan plan = lookUpAndReduce(true);
  std::swap(plan.classes[0].step[1], plan.classes[0].step[2]);
  {
    runtime::ExecutorOptions options;
    options.deadlineSeconds = 0.2;
    std::unique_ptr<Executor> executor;
    ASSERT_TRUE(Executor::create(plan, runtime::cpuDevices({{"stall", stall}}),
                                 options, executor)
                    .ok());
    MemoryTensors weights, inputs, outputs;
    weights.add("table", plan::DType::F32, {10, 4});
    inputs.add("ids", plan::DType::I64, {6});
    ASSERT_TRUE(executor->load(weights).ok());
    EXPECT_EQ(executor->step(inputs, outputs).message,
              "rank 1 did not end its step in time; rank 1 is in kernel of "
              "\"slow\" (m.hkt:4:1)");
    released = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

TEST(ExecutorErrors, TooLittleMemory) {
  plan::Plan plan = lookUpAndReduce(false);
  plan.classes[0].budget.arenaBytes = int64_t(1) << 40;
  std::unique_ptr<Executor> executor;
  Status status = Executor::create(plan, runtime::cpuDevices({}), {}, executor);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message.rfind("the 3 ranks need 3072.0 GiB of memory "
                                 "together, this machine has ",
                                 0),
            0u)
      << status.message;
}

TEST(ExecutorErrors, MemoryThatNoProcessHas) {
  runtime::Memory memory;
  EXPECT_EQ(memory.allocate(int64_t(1) << 48, "activations").message,
            "no memory for 281474976710656 bytes of activations: Cannot "
            "allocate memory");
}
