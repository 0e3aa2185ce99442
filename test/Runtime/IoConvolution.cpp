//===- IoConvolution.cpp - a cut convolution, run and counted -------------===//

#include "PlanBuilder.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Plan/Check.h"
#include "hocket/Plan/Summary.h"
#include "hocket/Runtime/MemoryTensors.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::plan;
using namespace hocket::test;
using runtime::MemoryTensors;

namespace {

/// y = conv(x, weight) of one dim of 6 that is cut in 4 and 2: a rank attaches
/// one position at each side, the edges repeated; then it pads channels by
/// itself, once around, and convolves.
Plan cutConvolution() {
  Plan plan;
  plan.model = "Net", plan.schedule = "cut";
  plan.mesh = {{"h", 2}};
  plan.tables = {{{0}, {0, 4}}, {{0}, {4, 2}}, {{0}, {-1, 3}}, {{0}, {6, 4}},
                 {{}, {0}},     {{}, {1}},     {{}, {0}},      {{}, {2}}};
  plan.inputs = {tensor("x", {1, 1, 6}, {{2, 0, 1}})};
  plan.outputs = {tensor("y", {1, 1, 6}, {{2, 0, 1}})};
  plan.parameters = {tensor("w", {1, 2, 3})};
  for (int64_t rank : {0, 1}) {
    int64_t own = rank == 0 ? 4 : 2;
    ClassBuilder builder({rank});
    View w = builder.weight({1, 2, 3});
    View x = builder.box(Region::Input, 0, {1, 1, own});
    View y = builder.box(Region::Output, 0, {1, 1, own});
    View held = builder.arena({1, 1, own + 2});
    View both = builder.arena({1, 2, own + 2});
    builder.result.load = {{-1, ReadParameter{0, w, {}}}};
    Collective attach{HaloExchange{{{2}, 0, 1, 2, 3, 6, Border::Replicate}},
                      {0},
                      {{x, held}}};
    Collective pad{HaloExchange{{{1}, 4, 5, 6, 7, 1, Border::Circular}},
                   {},
                   {{held, both}}};
    pad.id = 1;
    Convolution convolution;
    convolution.x = both, convolution.weight = w, convolution.y = y;
    convolution.strides = convolution.dilations = {1};
    convolution.lows = convolution.highs = {0};
    builder.result.step = {{-1, attach}, {-1, pad}, {-1, convolution}};
    plan.classes.push_back(builder.result);
  }
  return plan;
}

TEST(ExecutePlan, CutConvolution) {
  Plan plan = cutConvolution();
  std::string error;
  ASSERT_TRUE(check(plan, error)) << error;
  MemoryTensors weights, inputs, outputs;
  float *w = weights.add("w", DType::F32, {1, 2, 3}).as<float>();
  float *x = inputs.add("x", DType::F32, {1, 1, 6}).as<float>();
  for (int i = 0; i < 6; ++i)
    w[i] = float(i + 1), x[i] = float(i * i);
  runtime::RunReport report;
  runtime::Status status = runtime::executePlan(
      plan, runtime::cpuDevices({}), weights, inputs, outputs, {}, &report);
  ASSERT_TRUE(status.ok()) << status.message;
  const float *y = outputs.find("y")->as<float>();
  for (int o = 0; o < 6; ++o) {
    float sum = 0;
    for (int t = 0; t < 3; ++t)
      sum += x[std::clamp(o + t - 1, 0, 5)] * (w[t] + w[3 + t]);
    EXPECT_EQ(y[o], sum) << o;
  }
  EXPECT_TRUE(runtime::checkAgainstPlan(plan, report).ok());
  // One position of four bytes each; what a rank does alone is not counted.
  auto expected = nlohmann::ordered_json::parse(
      R"({"calls": 1, "bytes_per_rank": [4, 4], "ranks_by_peers": {"1": 2}})");
  EXPECT_EQ(summary(plan)["totals"]["step"]["halo"], expected);
  EXPECT_EQ(summary(plan)["collectives"].size(), 1u);
  nlohmann::ordered_json counted = runtime::statistics(plan, report);
  EXPECT_EQ(counted["totals"]["step"]["halo"], expected);
  ASSERT_EQ(counted["implementations"].size(), 1u);
  EXPECT_EQ(counted["implementations"].front(), 2);
  EXPECT_NE(runtime::statisticsText(plan, report)
                .find("convolutions of all ranks in a step\n"),
            std::string::npos);
}

} // namespace
