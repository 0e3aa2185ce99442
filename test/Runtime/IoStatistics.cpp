//===- IoStatistics.cpp - counts that differ from the plan, bad kernels ---===//

#include "SamplePlan.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Runtime/MemoryTensors.h"
#include <gtest/gtest.h>

using namespace hocket::runtime;
using hocket::plan::DType;
using hocket::plan::samplePlan;

namespace {

/// Runs the sample plan on tensors in memory.
RunReport runSample(const RunOptions &options = {}) {
  hocket::plan::Plan plan = samplePlan();
  MemoryTensors weights, inputs, outputs;
  weights.add("proj.weight", DType::F32, {4, 6}).as<float>()[0] = 2;
  weights.add("proj.bias", DType::F32, {6}).as<float>()[0] = 5;
  inputs.add("x", DType::F32, {3, 4}).as<float>()[0] = 10;
  RunReport report;
  Status status =
      executePlan(plan, {}, weights, inputs, outputs, options, &report);
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(outputs.find("y")->as<float>()[0], 25);
  EXPECT_EQ(outputs.find("y")->as<float>()[6], 5);
  return report;
}

TEST(ExecutePlan, RunsOnTensorsInMemory) {
  RunOptions options;
  options.warmup = 1, options.repeat = 3, options.checkReplicas = true;
  RunReport report = runSample(options);
  EXPECT_EQ(report.stepSeconds.size(), 3u);
  EXPECT_LE(report.leastStepSeconds(), report.medianStepSeconds());
  EXPECT_EQ(report.counters[1].step.runs, 4);
  EXPECT_TRUE(checkAgainstPlan(samplePlan(), report).ok());
}

TEST(ExecutePlan, CountsThatDifferAreAnError) {
  RunReport report = runSample();
  report.counters[1].step.collectives[0].receivedBytes += 4;
  Status status = checkAgainstPlan(samplePlan(), report);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "the run counted {\"calls\":1,\"bytes_per_rank\":[72,76]} for "
            "all_reduce in step, the plan says "
            "{\"calls\":1,\"bytes_per_rank\":[72,72]}");
  report = runSample();
  report.counters[0].arenaBytes = 1;
  status = checkAgainstPlan(samplePlan(), report);
  EXPECT_EQ(status.message, "the run counted arena_bytes [1,200], the plan "
                            "says [200,200]");
}

TEST(KernelLibrary, WhatIsNoSharedObjectIsRefused) {
  KernelLibrary library;
  std::vector<uint8_t> bytes(100, 7);
  Status status = library.load(bytes.data(), bytes.size(), samplePlan());
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message.rfind("the kernels cannot be loaded: ", 0), 0u)
      << status.message;
}

} // namespace
