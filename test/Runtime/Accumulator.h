//===- Accumulator.h - a training executable made by hand ------*- C++ -*-===//
//
// acc' = eye x + acc on two ranks, each with a row: acc is a parameter that
// steps change, eye one that they do not, count a state. loss is the sum of the
// first column of acc.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RUNTIME_ACCUMULATOR_H
#define HOCKET_TEST_RUNTIME_ACCUMULATOR_H

#include "hocket/Launcher/Pack.h"
#include "hocket/Plan/Check.h"
#include "test/Runtime/PlanBuilder.h"
#include "tools/dev/FileTensor.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

// After gtest, whose folder for temporaries it uses.
#include "test/Paths.h"
#include "test/Runtime/RunProgram.h"

namespace hocket::test {

inline plan::View column(plan::View view) {
  view.shape[1] = 1;
  return view;
}

inline plan::Plan accumulator() {
  using plan::Region;
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
  reduce.axes = {0}, reduce.pairs = {{column(sum), loss}};
  c.result.step = {{-1, add},
                   {-1, next},
                   {-1, reduce},
                   {-1, plan::Copy{sum, acc}},
                   {-1, plan::Copy{more, count}}};
  plan.classes = {c.result};
  return plan;
}

/// A program `app` and its data x.safetensors in a folder.
class AccumulatorProgram : public testing::Test {
protected:
  void SetUp() override {
    pack(accumulator(), "app");
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

  void pack(const plan::Plan &plan, const std::string &program) {
    std::string error;
    ASSERT_TRUE(plan::check(plan, error)) << error;
    runtime::Status status = runtime::packExecutable(
        test::builtPath("bin/hocket-runner"), {}, plan, folder.path(program));
    ASSERT_TRUE(status.ok()) << status.message;
  }

  /// Runs a shell command in the folder.
  ProgramResult shell(const std::string &command) {
    return runProgram(folder, "cd " + folder.path("") + "; " + command);
  }

  ProgramResult run(const std::string &options) {
    return shell("./app --data x.safetensors " + options);
  }

  std::vector<double> values(const std::string &file, const std::string &name) {
    dev::FileTensor tensor;
    EXPECT_TRUE(dev::readTensor(folder.path(file), name, tensor).ok());
    return tensor.values;
  }

  TemporaryFolder folder;
};

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_ACCUMULATOR_H
