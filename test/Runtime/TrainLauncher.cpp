//===- TrainLauncher.cpp - a training executable made by hand -------------===//
//
// acc' = eye x + acc on two ranks, each with a row: acc is a parameter that
// steps change, eye one that they do not, count a state. loss is the sum of the
// first column of acc.
//
//===----------------------------------------------------------------------===//

#include "hocket/Launcher/Pack.h"
#include "hocket/Plan/Check.h"
#include "test/Runtime/PlanBuilder.h"
#include "tools/dev/FileTensor.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

// After gtest, whose folder for temporaries it uses.
#include "test/Runtime/RunProgram.h"

using namespace hocket;
using namespace hocket::test;
using plan::Region;

namespace {

plan::View column(plan::View view) {
  view.shape[1] = 1;
  return view;
}

plan::Plan accumulator() {
  plan::Plan plan;
  plan.model = "Accumulate";
  plan.mesh = {{"dp", 2}};
  plan.tables = {{{0}, {0, 1}}, {{0}, {1, 1}}};
  plan.inputs = {tensor("x", {2, 3}, {{0, 0, 1}})};
  plan.parameters = {tensor("acc", {2, 3}, {{0, 0, 1}}), tensor("eye", {1, 1})};
  plan.parameters[1].init = {plan::InitKind::Constant, 1};
  plan.outputs = {tensor("loss", {1, 1})};
  plan.outputs[0].replicatedOver = {0};
  plan.states = {plan.parameters[0], tensor("count", {1, 1})};
  plan.states[1].replicatedOver = {0};
  ClassBuilder c({0, 1});
  plan::View x = c.box(Region::Input, 0, {1, 3});
  plan::View loss = c.box(Region::Output, 0, {1, 1});
  plan::View eye = c.weight({1, 1});
  plan::View sum = c.arena({1, 3}), more = c.arena({1, 1});
  c.result.buffers.push_back({Region::State, 0, 12, plan::DType::F32});
  c.result.buffers.push_back({Region::State, 64, 4, plan::DType::F32});
  c.result.states = {5, 6};
  c.result.budget.stateBytes = 128;
  plan::View acc{5, 0, {}, {1, 3}, {3, 1}}, count{6, 0, {}, {1, 1}, {1, 1}};
  c.result.load = {{-1, plan::ReadParameter{0, acc, {}}},
                   {-1, plan::ReadParameter{1, eye, {}}},
                   {-1, plan::Fill{count, 0}}};
  plan::Matmul add;
  add.a = eye, add.b = x, add.c = sum;
  add.post = {{plan::PostOp::Add, acc}};
  plan::Matmul next;
  next.a = eye, next.b = eye, next.c = more;
  next.post = {{plan::PostOp::Add, count}};
  plan::Collective reduce;
  reduce.kind = plan::CollectiveKind::AllReduce;
  reduce.axes = {0}, reduce.src = column(sum), reduce.dst = loss;
  c.result.step = {{-1, add},
                   {-1, next},
                   {-1, reduce},
                   {-1, plan::Copy{sum, acc}},
                   {-1, plan::Copy{more, count}}};
  plan.classes = {c.result};
  return plan;
}

class TrainLauncher : public testing::Test {
protected:
  void SetUp() override {
    plan::Plan plan = accumulator();
    std::string error;
    ASSERT_TRUE(plan::check(plan, error)) << error;
    runtime::Status status =
        runtime::packExecutable(HOCKET_RUNNER, {}, plan, folder.path("app"));
    ASSERT_TRUE(status.ok()) << status.message;
    // Two examples, so that each batch is the whole of them in some order.
    std::string data;
    for (float value : {1.f, 2.f, 3.f, 10.f, 20.f, 30.f}) {
      char bytes[4];
      std::memcpy(bytes, &value, 4);
      data.append(bytes, 4);
    }
    folder.write("x.safetensors",
                 safetensorsBytes("{\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                  "\"data_offsets\":[0,24]}}",
                                  data));
  }

  ProgramResult run(const std::string &options) {
    return runProgram(folder, "cd " + folder.path("") +
                                  " && ./app --data x.safetensors " + options);
  }

  std::vector<double> values(const std::string &file, const std::string &name) {
    dev::FileTensor tensor;
    EXPECT_TRUE(dev::readTensor(folder.path(file), name, tensor).ok());
    return tensor.values;
  }

  TemporaryFolder folder;
};

TEST_F(TrainLauncher, savesAllParametersAndStates) {
  ProgramResult result = run("--steps 4 --checkpoint c --metrics m --seed 3");
  ASSERT_EQ(result.status, 0) << result.err;
  std::string file = "c/step-0000000004.safetensors";
  EXPECT_EQ(values(file, "eye"), std::vector<double>{1});
  EXPECT_EQ(values(file, "count"), std::vector<double>{4});
  std::vector<double> acc = values(file, "acc");
  // Drawn around 0 and then four times both examples.
  EXPECT_NEAR(acc[0] + acc[3], 44, 0.5);
  EXPECT_NEAR(acc[2] + acc[5], 132, 0.5);
  EXPECT_NE(acc[0] + acc[3], 44);
  EXPECT_NE(result.out.find("steps 1 to 4 in "), std::string::npos);
  EXPECT_NE(result.out.find("; saved in c/step-0000000004.safetensors\n"),
            std::string::npos)
      << result.out;
  std::string metrics = folder.read("m");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 4);
  EXPECT_EQ(metrics.find("{\"step\":1,\"loss\":1"), 0u) << metrics;
}

TEST_F(TrainLauncher, goesOnToTheBit) {
  ASSERT_EQ(run("--steps 5 --checkpoint whole").status, 0);
  ASSERT_EQ(run("--steps 2 --checkpoint cut").status, 0);
  ProgramResult result = run("--steps 5 --checkpoint cut --resume cut");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(folder.read("cut/step-0000000005.safetensors"),
            folder.read("whole/step-0000000005.safetensors"));
}

TEST_F(TrainLauncher, namesTheStepThatCannotBeSaved) {
  ASSERT_EQ(run("--steps 1 --checkpoint c").status, 0);
  std::filesystem::create_directory(
      folder.path("c/step-0000000003.safetensors"));
  ProgramResult result = run("--steps 3 --checkpoint c --resume "
                             "c/step-0000000001.safetensors");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, "error: checkpoint after step 3: output "
                        "'c/step-0000000003.safetensors' is not a regular "
                        "file\n");
}

TEST_F(TrainLauncher, leavesNothingWhereAFileIsWrong) {
  ASSERT_EQ(run("--steps 2 --checkpoint c").status, 0);
  folder.write("m", "{\"step\":1}\n");
  ProgramResult result =
      run("--steps 5 --metrics m --checkpoint c --resume x.safetensors");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(folder.read("m"), "{\"step\":1}\n");
  // Parameters without the state.
  std::string whole = folder.read("c/step-0000000002.safetensors");
  whole.replace(whole.find("\"count\":{"), 7, "\"round\"");
  folder.write("c/step-0000000002.safetensors", whole);
  result = run("--steps 5 --metrics m --resume c");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "error: checkpoint 'c/step-0000000002.safetensors': there is no "
            "\"count\", expected [1, 1] f32\n");
  EXPECT_EQ(folder.read("m"), "{\"step\":1}\n");
}

} // namespace
