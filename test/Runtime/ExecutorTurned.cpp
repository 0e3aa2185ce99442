//===- ExecutorTurned.cpp - outputs that lie turned, in parts -------------===//

#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include <gtest/gtest.h>

using namespace hocket;
using runtime::Executor;
using runtime::MemoryTensors;

// A box of more than 16 MiB goes through memory in parts.
TEST(ExecutorTurned, LargeOutputsAreTurnedInParts) {
  constexpr int64_t rows = 3001, columns = 2003;
  plan::Plan plan;
  plan.model = "Turn";
  plan.schedule = "one_device";
  for (std::vector<plan::GlobalTensor> *tensors : {&plan.inputs, &plan.outputs})
    tensors->push_back({tensors == &plan.inputs ? "x" : "y",
                        plan::DType::F32,
                        {rows, columns},
                        {rows, columns},
                        {},
                        {}});
  plan::RankClass &only = plan.classes.emplace_back();
  only.ranks = {0};
  only.buffers = {
      {plan::Region::Input, 0, rows * columns * 4, plan::DType::F32},
      {plan::Region::Output, 0, rows * columns * 4, plan::DType::F32}};
  only.buffers[1].strides = {1, rows};
  only.step.push_back({-1, plan::Copy{{0, 0, {}, {rows, columns}, {columns, 1}},
                                      {1, 0, {}, {rows, columns}, {1, rows}}}});
  std::unique_ptr<Executor> executor;
  ASSERT_TRUE(
      Executor::create(plan, runtime::cpuDevices({}), {}, executor).ok());
  MemoryTensors weights, inputs, outputs;
  float *x = inputs.add("x", plan::DType::F32, {rows, columns}).as<float>();
  for (int64_t i = 0; i < rows * columns; ++i)
    x[i] = float(i);
  ASSERT_TRUE(executor->load(weights).ok());
  runtime::Status status = executor->step(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_TRUE(outputs.find("y")->bytes == inputs.find("x")->bytes);
}
