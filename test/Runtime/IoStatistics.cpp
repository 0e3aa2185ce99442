//===- IoStatistics.cpp - counts that differ from the plan, bad kernels ---===//

#include "SamplePlan.h"
#include "hocket/Launcher/Execute.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Runtime/MemoryTensors.h"
#include <atomic>
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
  Status status = executePlan(plan, cpuDevices({}), weights, inputs, outputs,
                              options, &report);
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

/// Counts what ranks read or write.
class Counted : public TensorSource, public TensorSink {
public:
  Counted(MemoryTensors &tensors) : tensors(tensors) {}
  std::string name() const override { return tensors.name(); }
  bool describe(const std::string &tensor,
                TensorDescription &description) const override {
    return tensors.describe(tensor, description);
  }
  Status read(const std::string &tensor, const Box &box, DType type,
              void *destination) const override {
    ++reads;
    return tensors.read(tensor, box, type, destination);
  }
  Status prepare(const std::string &tensor,
                 const TensorDescription &description) override {
    return tensors.prepare(tensor, description);
  }
  Status write(const std::string &tensor, const Box &box,
               const void *source) override {
    ++writes;
    return tensors.write(tensor, box, source);
  }

  mutable std::atomic<int> reads{0}, writes{0};

private:
  MemoryTensors &tensors;
};

// However many steps are timed: the inputs are read, or drawn, before them.
TEST(ExecutePlan, TimesStepsAlone) {
  hocket::plan::Plan plan = samplePlan();
  MemoryTensors weights, inputs, outputs;
  weights.add("proj.weight", DType::F32, {4, 6});
  weights.add("proj.bias", DType::F32, {6});
  inputs.add("x", DType::F32, {3, 4});
  RunOptions options;
  options.warmup = 2, options.repeat = 5;
  RunReport report;
  Counted source(inputs), sink(outputs);
  Status status = executePlan(plan, cpuDevices({}), weights, source, sink,
                              options, &report);
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(source.reads, 2); // a box a rank
  EXPECT_EQ(sink.writes, 1);
  EXPECT_EQ(report.stepSeconds.size(), 5u);
  EXPECT_GT(report.inputSeconds, 0);
  EXPECT_GT(report.outputSeconds, 0);
}

TEST(ExecutePlan, CountsThatDifferAreAnError) {
  RunReport report = runSample();
  report.counters[1].step.collectives[0].receivedBytes += 4;
  Status status = checkAgainstPlan(samplePlan(), report);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(
      status.message,
      "the run counted {\"calls\":1,\"bytes_per_rank\":[72,76],"
      "\"ranks_by_peers\":{\"1\":2}} for all_reduce in step, the plan says "
      "{\"calls\":1,\"bytes_per_rank\":[72,72],\"ranks_by_peers\":{\"1\":2}}");
  report = runSample();
  report.counters[0].arenaBytes = 1;
  status = checkAgainstPlan(samplePlan(), report);
  EXPECT_EQ(status.message, "the run counted arena_bytes [1,200], the plan "
                            "says [200,200]");
}

TEST(ExecutePlan, PeersThatDifferAreAnError) {
  RunOptions options;
  options.repeat = 3;
  RunReport report = runSample(options);
  EXPECT_EQ(report.peers[1].step,
            (std::vector<std::vector<int64_t>>{{216, 0}}));
  report.peers[1].step[0] = {212, 4};
  Status status = checkAgainstPlan(samplePlan(), report);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message,
            "the run counted 212 bytes from rank 0 to rank 1 in all_reduce of "
            "\"proj\" (schedules.hkt:4:3), 3 runs of step; the plan says 216");
}

/// Two groups of members that own 2, 0 and 3 of a dim: as many bytes, but from
/// another member, are an error.
TEST(ExecutePlan, BytesFromAnotherPeerAreAnError) {
  using namespace hocket::plan;
  Plan plan;
  plan.mesh = {{"dp", 2}, {"s", 3}};
  plan.tables = {
      {{1}, {0, 2, 2}}, {{1}, {2, 0, 3}}, {{1}, {-1, 1, 1}}, {{1}, {4, 3, 4}}};
  plan.sources = {{"conv", "net.hkt:5:10", ""}};
  RankClass ranks;
  ranks.ranks = {0, 1, 2, 3, 4, 5};
  ranks.buffers = {{Region::Arena, 0, 64, DType::F32}};
  View view = {0, 0, {}, {4}, {1}};
  Collective halo{
      hocket::plan::HaloExchange{{{0}, 0, 1, 2, 3, 5}}, {1}, {{view, view}}};
  ranks.step = {{0, halo}};
  plan.classes = {ranks};
  RunReport report;
  report.counters.resize(6), report.peers.resize(6);
  for (int64_t rank = 0; rank < 6; ++rank) {
    report.counters[rank].step.runs = 1;
    report.peers[rank].step = {receivedFrom(plan, ranks, halo, rank)};
  }
  auto from = [&](int64_t rank) { return report.peers[rank].step[0]; };
  using Bytes = std::vector<int64_t>;
  EXPECT_EQ(from(3), (Bytes{0, 0, 4}));
  EXPECT_EQ(from(4), (Bytes{4, 0, 8}));
  EXPECT_EQ(from(5), (Bytes{4, 0, 0}));
  report.peers[4].step[0] = {8, 0, 4};
  EXPECT_EQ(checkAgainstPlan(plan, report).message,
            "the run counted 8 bytes from rank 3 to rank 4 in halo of \"conv\" "
            "(net.hkt:5:10), 1 run of step; the plan says 4");
}

TEST(OpenDevices, WhatIsNoSharedObjectIsRefused) {
  std::shared_ptr<const Devices> devices;
  std::vector<uint8_t> bytes(100, 7);
  Status status = openCpuDevices(samplePlan(), bytes.data(), bytes.size(),
                                 oneProcess(), devices);
  EXPECT_EQ(status.kind, ErrorKind::Runtime);
  EXPECT_EQ(status.message.rfind("the kernels cannot be loaded: ", 0), 0u)
      << status.message;
}

} // namespace
