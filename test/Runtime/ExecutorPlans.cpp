//===- ExecutorPlans.cpp - whole plans against a serial computation -------===//

#include "hocket/Plan/Check.h"
#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "test/Runtime/OwnPrograms.h"
#include "test/Runtime/SamplePlan.h"
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace hocket;
using namespace hocket::test;
using plan::Region;
using runtime::Executor;
using runtime::MemoryTensors;

namespace {

std::vector<runtime::RankCounters> countersOf(const Executor &executor) {
  std::vector<runtime::RankCounters> all;
  EXPECT_TRUE(executor.counters(all).ok());
  return all;
}

std::vector<runtime::PeerCounters> peersOf(const Executor &executor) {
  std::vector<runtime::PeerCounters> all;
  EXPECT_TRUE(executor.peers(all).ok());
  return all;
}

void fill(MemoryTensors &tensors, const std::string &name,
          const std::vector<int64_t> &dims, int seed) {
  float *data = tensors.add(name, plan::DType::F32, dims).as<float>();
  for (int64_t i = 0; i < product(dims); ++i)
    data[i] = static_cast<float>((i * 37 + seed * 101) % 64 - 32) / 16;
}

std::unique_ptr<Executor> start(const plan::Plan &plan,
                                const runtime::KernelTable &kernels,
                                runtime::ExecutorOptions options = {}) {
  std::unique_ptr<Executor> executor;
  runtime::Status status =
      Executor::create(plan, runtime::cpuDevices(kernels), options, executor);
  EXPECT_TRUE(status.ok()) << status.message;
  return executor;
}

void addOne(void *const *args, const int64_t *scalars, int64_t begin,
            int64_t end) {
  const float *in = static_cast<const float *>(args[0]);
  float *out = static_cast<float *>(args[1]);
  for (int64_t i = begin; i < end; ++i)
    out[i] = in[i] + static_cast<float>(scalars[0]);
}

constexpr int64_t batch = 6, width = 5, hidden = 8;

/// On mesh (dp = 2, tp = 2): y = (x W + b) + rank's tp coordinate * 0 + 1,
/// x split by columns and W by rows over tp (unevenly), the sum scattered over
/// the columns of y and gathered again; the batch split over dp (unevenly).
/// One class a rank, so that all shapes may differ.
plan::Plan rowParallel() {
  plan::Plan plan;
  plan.model = "Linear";
  plan.mesh = {{"dp", 2}, {"tp", 2}};
  plan.tables = {{{0}, {0, 4}}, {{0}, {4, 2}},  // batch rows
                 {{1}, {0, 3}}, {{1}, {3, 5}},  // hidden
                 {{1}, {0, 1}}, {{1}, {1, 4}}}; // columns of y
  plan.sources = {{"fc", "m.hkt:1:2", ""}, {"fc", "m.hkt:1:2", "s.hkt:3:4"}};
  plan.inputs = {tensor("x", {batch, hidden}, {{0, 0, 1}, {1, 2, 3}})};
  plan.parameters = {tensor("w", {hidden, width}, {{0, 2, 3}}),
                     tensor("b", {width})};
  plan.outputs = {tensor("y", {batch, width}, {{0, 0, 1}})};
  plan.outputs[0].replicatedOver = {1};
  for (int64_t rank = 0; rank < 4; ++rank) {
    int64_t dp = rank / 2, tp = rank % 2;
    int64_t rows = plan.tables[1].values[dp], k = plan.tables[3].values[tp];
    int64_t columns = plan.tables[5].values[tp];
    ClassBuilder c({rank});
    plan::View x = c.box(Region::Input, 0, {rows, k});
    plan::View y = c.box(Region::Output, 0, {rows, width});
    plan::View w = c.weight({k, width}), b = c.weight({width});
    plan::View partial = c.arena({rows, width}),
               part = c.arena({rows, columns});
    plan::View sum = c.arena({rows, width});
    c.result.load = {{0, plan::ReadParameter{0, w, {}}},
                     {0, plan::ReadParameter{1, b, {1}}},
                     {0, plan::PackWeight{0, w, rows}}};
    c.result.packs = 1;
    plan::Matmul matmul;
    matmul.a = x, matmul.b = w, matmul.c = partial;
    matmul.hasBias = true, matmul.bias = b, matmul.packedWeight = 0;
    plan::Share columnsOf{1, 4, 5};
    plan::Collective scatter{
        plan::ReduceScatter{{columnsOf}}, {1}, {{partial, part}}};
    plan::Collective gather{plan::AllGather{{columnsOf}}, {1}, {{part, sum}}};
    gather.id = 1;
    plan::Kernel kernel;
    kernel.symbol = "add_one";
    kernel.inputs = {sum}, kernel.outputs = {y};
    kernel.scalars = {plan::Scalar{1}};
    kernel.extent = rows * width;
    c.result.step = {{0, matmul}, {1, scatter}, {1, gather}, {0, kernel}};
    plan.classes.push_back(c.result);
  }
  return plan;
}

std::vector<float> rowParallelResult(MemoryTensors &weights,
                                     MemoryTensors &inputs) {
  const float *x = inputs.find("x")->as<float>();
  const float *w = weights.find("w")->as<float>();
  const float *b = weights.find("b")->as<float>();
  std::vector<float> y;
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t j = 0; j < width; ++j) {
      float sum = b[j] + 1;
      for (int64_t p = 0; p < hidden; ++p)
        sum += x[i * hidden + p] * w[p * width + j];
      y.push_back(sum);
    }
  return y;
}

} // namespace

static void runSample(const plan::Plan &plan) {
  MemoryTensors weights, inputs, outputs;
  fill(weights, "proj.weight", {4, 6}, 1);
  fill(weights, "proj.bias", {6}, 2);
  fill(inputs, "x", {3, 4}, 3);
  auto executor = start(plan, {});
  ASSERT_TRUE(executor);
  ASSERT_TRUE(executor->load(weights).ok());
  runtime::Status status = executor->step(inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message;
  const float *x = inputs.find("x")->as<float>();
  const float *w = weights.find("proj.weight")->as<float>();
  const float *b = weights.find("proj.bias")->as<float>();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) {
      float sum = b[j];
      for (int p = 0; p < 4; ++p)
        sum += x[i * 4 + p] * w[p * 6 + j];
      EXPECT_FLOAT_EQ(outputs.find("y")->as<float>()[i * 6 + j], sum);
    }
  status = executor->checkReplicas();
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST(ExecutorPlans, Sample) { runSample(plan::samplePlan()); }

// An output that a class computes in another order is turned where it is
// written, and where it is compared with that of a class that does not.
TEST(ExecutorPlans, OutputsAreTurnedWhereTheyAreWritten) {
  plan::Plan plan = plan::samplePlan();
  for (plan::RankClass &rankClass : plan.classes) {
    rankClass.buffers.back().strides = {1, 3};
    std::get<plan::Copy>(rankClass.step.back().body).dst.strides = {1, 3};
    runSample(plan);
  }
}

// Values are multiples of 1/256, so that sums are exact in any order.
TEST(ExecutorPlans, RowParallelLinear) {
  plan::Plan plan = rowParallel();
  MemoryTensors weights, inputs, outputs;
  fill(weights, "w", {hidden, width}, 1);
  fill(weights, "b", {width}, 2);
  for (uint64_t seed : {0, 5}) {
    runtime::ExecutorOptions options;
    options.delaySeed = seed;
    auto executor = start(plan, {{"add_one", addOne}}, options);
    ASSERT_TRUE(executor);
    ASSERT_TRUE(executor->load(weights).ok());
    for (int repeat = 0; repeat < 5; ++repeat) {
      fill(inputs, "x", {batch, hidden}, 3 + repeat);
      runtime::Status status = executor->step(inputs, outputs);
      ASSERT_TRUE(status.ok()) << status.message;
      std::vector<float> expected = rowParallelResult(weights, inputs);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(outputs.find("y")->as<float>()[i], expected[i]) << i;
    }
  }
}

TEST(ExecutorPlans, CountersAgreeWithThePlan) {
  plan::Plan plan = rowParallel();
  MemoryTensors weights, inputs, outputs;
  fill(weights, "w", {hidden, width}, 1);
  fill(weights, "b", {width}, 2);
  fill(inputs, "x", {batch, hidden}, 3);
  auto executor = start(plan, {{"add_one", addOne}});
  ASSERT_TRUE(executor);
  ASSERT_TRUE(executor->load(weights).ok());
  for (int repeat = 0; repeat < 3; ++repeat)
    ASSERT_TRUE(executor->step(inputs, outputs).ok());
  for (const runtime::RankCounters &counted : countersOf(*executor)) {
    const plan::RankClass &c = plan.classes[counted.rank];
    for (size_t i : {1, 2}) {
      const auto &collective = std::get<plan::Collective>(c.step[i].body);
      const runtime::CollectiveCounter &counter =
          counted.step.collectives[collective.kind.index()];
      EXPECT_EQ(counter.calls, 3);
      EXPECT_GT(counter.receivedBytes, 0);
      EXPECT_EQ(counter.receivedBytes,
                3 * plan::receivedBytes(plan, c, collective, counted.rank));
      std::vector<int64_t> from =
          plan::receivedFrom(plan, c, collective, counted.rank);
      for (int64_t &bytes : from)
        bytes *= 3;
      EXPECT_EQ(peersOf(*executor)[counted.rank].step[i - 1], from);
    }
    EXPECT_EQ(counted.step.runs, 3);
    EXPECT_EQ(counted.load.runs, 1);
    EXPECT_EQ(counted.step.instructions[1].calls, 3); // kernel
    EXPECT_LE(counted.arenaBytes, c.budget.arenaBytes);
    EXPECT_GT(counted.packedBytes, 0);
  }
}

namespace {

/// One collective of input "x" into output "y" among 3 ranks with uneven
/// shares; what is cut where depends on the kind.
plan::Plan oneCollective(plan::CollectiveKind kind) {
  using Kind = plan::CollectiveKind;
  plan::Plan plan;
  plan.mesh = {{"tp", 3}};
  plan.tables = {
      {{0}, {0, 2, 2}}, {{0}, {2, 0, 5}}, {{0}, {0, 1, 5}}, {{0}, {1, 4, 2}}};
  plan.sources = {{"layer", "", ""}};
  bool cutsInput = kind == Kind::AllGather || kind == Kind::AllToAll;
  bool cutsOutput = kind == Kind::ReduceScatter || kind == Kind::AllToAll;
  int out = kind == Kind::AllToAll ? 1 : 0;
  plan.inputs = {tensor("x", {7, 7})};
  plan.outputs = {tensor("y", {7, 7})};
  if (cutsInput)
    plan.inputs[0].cuts = {{0, 0, 1}};
  if (cutsOutput)
    plan.outputs[0].cuts = {{out, out * 2, out * 2 + 1}};
  else
    plan.outputs[0].replicatedOver = {0};
  for (int64_t rank = 0; rank < 3; ++rank) {
    ClassBuilder c({rank});
    std::vector<int64_t> from = {7, 7}, to = {7, 7};
    if (cutsInput)
      from[0] = plan.tables[1].values[rank];
    if (cutsOutput)
      to[out] = plan.tables[out * 2 + 1].values[rank];
    plan::Collective collective;
    collective.axes = {0};
    collective.pairs = {
        {c.box(Region::Input, 0, from), c.box(Region::Output, 0, to)}};
    plan::Share rows{0, 0, 1}, columns{1, 2, 3};
    if (kind == Kind::ReduceScatter)
      collective.kind = plan::ReduceScatter{{rows}};
    if (kind == Kind::AllGather)
      collective.kind = plan::AllGather{{rows}};
    if (kind == Kind::AllToAll)
      collective.kind = plan::AllToAll{{rows}, {columns}};
    if (kind == Kind::Broadcast)
      collective.kind = plan::Broadcast{1};
    c.result.step = {{0, collective}};
    plan.classes.push_back(c.result);
  }
  return plan;
}

} // namespace

TEST(ExecutorPlans, ReceivedBytesOfEveryKindAndPeer) {
  using Kind = plan::CollectiveKind;
  for (Kind kind : {Kind::AllReduce, Kind::ReduceScatter, Kind::AllGather,
                    Kind::AllToAll, Kind::Broadcast}) {
    plan::Plan plan = oneCollective(kind);
    MemoryTensors weights, inputs, outputs;
    fill(inputs, "x", {7, 7}, 3);
    auto executor = start(plan, {});
    ASSERT_TRUE(executor);
    ASSERT_TRUE(executor->load(weights).ok());
    ASSERT_TRUE(executor->step(inputs, outputs).ok());
    bool sums = kind == Kind::AllReduce || kind == Kind::ReduceScatter;
    for (int64_t i = 0; i < 49; ++i)
      EXPECT_EQ(outputs.find("y")->as<float>()[i],
                inputs.find("x")->as<float>()[i] * (sums ? 3.0f : 1.0f));
    for (const runtime::RankCounters &counted : countersOf(*executor)) {
      const plan::RankClass &c = plan.classes[counted.rank];
      EXPECT_EQ(counted.step.collectives[static_cast<int>(kind)].receivedBytes,
                plan::receivedBytes(plan, c,
                                    std::get<plan::Collective>(c.step[0].body),
                                    counted.rank));
      EXPECT_EQ(peersOf(*executor)[counted.rank].step.at(0),
                plan::receivedFrom(plan, c,
                                   std::get<plan::Collective>(c.step[0].body),
                                   counted.rank));
    }
  }
}

// Ranks that take two axes in other orders, none of which closes a circle.
TEST(ExecutorPlans, ClassesWithProgramsOfTheirOwn) {
  for (int bits : {0, 1, 5, 10, 11, 14, 15}) {
    plan::Plan plan = test::ownPrograms(
        {bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1},
        /*alone=*/true);
    MemoryTensors weights, inputs, outputs;
    fill(inputs, "x", {4, 3}, 3);
    auto executor = start(plan, {});
    ASSERT_TRUE(executor) << bits;
    ASSERT_TRUE(executor->load(weights).ok());
    ASSERT_TRUE(executor->step(inputs, outputs).ok());
    const float *x = inputs.find("x")->as<float>();
    for (int64_t rank = 0; rank < 4; ++rank)
      for (int64_t i = 0; i < 3; ++i) {
        auto sum = [&](int64_t other) {
          return x[rank * 3 + i] + x[other * 3 + i];
        };
        EXPECT_EQ(outputs.find("y")->as<float>()[rank * 3 + i], sum(rank ^ 2));
        EXPECT_EQ(outputs.find("z")->as<float>()[rank * 3 + i], sum(rank ^ 1));
      }
    for (const runtime::RankCounters &counted : countersOf(*executor))
      EXPECT_EQ(counted.step.collectives[0].calls, counted.rank % 2 ? 3 : 2);
  }
}

// One rank on two threads, on data large enough to be cut.
TEST(ExecutorPlans, KernelIsCutOverThreads) {
  plan::Plan plan;
  plan.mesh = {{"tp", 1}};
  plan.sources = {{"add", "", ""}};
  plan.inputs = {tensor("x", {40000})};
  plan.outputs = {tensor("y", {40000})};
  ClassBuilder c({0});
  plan::Kernel kernel;
  kernel.symbol = "add_one";
  kernel.inputs = {c.box(Region::Input, 0, {40000})};
  kernel.outputs = {c.box(Region::Output, 0, {40000})};
  kernel.scalars = {plan::Scalar{1}};
  kernel.extent = 40000;
  c.result.step = {{0, kernel}};
  plan.classes = {c.result};
  MemoryTensors weights, inputs, outputs;
  fill(inputs, "x", {40000}, 1);
  runtime::ExecutorOptions options;
  options.threads = 2;
  auto executor = start(plan, {{"add_one", addOne}}, options);
  ASSERT_TRUE(executor);
  ASSERT_TRUE(executor->load(weights).ok());
  ASSERT_TRUE(executor->step(inputs, outputs).ok());
  for (int64_t i = 0; i < 40000; ++i)
    ASSERT_EQ(outputs.find("y")->as<float>()[i],
              inputs.find("x")->as<float>()[i] + 1);
}

// Views that slice by a table, types converted while reading, constants.
TEST(ExecutorPlans, SlicesConversionsAndConstants) {
  plan::Plan plan;
  plan.mesh = {{"tp", 3}};
  plan.tables = {{{0}, {0, 2, 4}}, {{0}, {2, 2, 2}}};
  plan.sources = {{"slice", "", ""}};
  plan.inputs = {tensor("x", {6}, {}, plan::DType::I64)};
  plan.parameters = {tensor("p", {6})};
  plan.outputs = {tensor("i", {6}, {{0, 0, 1}}, plan::DType::I64),
                  tensor("p", {6}, {{0, 0, 1}}),
                  tensor("r", {6}, {{0, 0, 1}}, plan::DType::I64)};
  ClassBuilder c({0, 1, 2});
  plan::View x = c.box(Region::Input, 0, {6}, plan::DType::I64);
  plan::View p = c.weight({6}), ramp = c.weight({2}, plan::DType::I64);
  plan::View i = c.box(Region::Output, 0, {2}, plan::DType::I64);
  plan::View q = c.box(Region::Output, 1, {2});
  plan::View r = c.box(Region::Output, 2, {2}, plan::DType::I64);
  x.terms = p.terms = {plan::Scalar{0, 0, 1}};
  plan::View whole = p;
  whole.terms.clear();
  x.shape = p.shape = {2};
  c.result.load = {{0, plan::ReadParameter{0, whole, {}}},
                   {0, plan::Iota{ramp, 0, plan::Scalar{10, 0, 1}}}};
  c.result.step = {
      {0, plan::Copy{x, i}}, {0, plan::Copy{p, q}}, {0, plan::Copy{ramp, r}}};
  plan.classes = {c.result};
  MemoryTensors weights, inputs, outputs;
  int32_t *given = inputs.add("x", plan::DType::I32, {6}).as<int32_t>();
  double *wide = weights.add("p", plan::DType::F64, {6}).as<double>();
  for (int k = 0; k < 6; ++k)
    given[k] = k * k, wide[k] = k + 0.5;
  auto executor = start(plan, {});
  ASSERT_TRUE(executor);
  ASSERT_TRUE(executor->load(weights).ok());
  ASSERT_TRUE(executor->step(inputs, outputs).ok());
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(outputs.find("i")->as<int64_t>()[k], k * k);
    EXPECT_EQ(outputs.find("p")->as<float>()[k], static_cast<float>(k) + 0.5f);
    EXPECT_EQ(outputs.find("r")->as<int64_t>()[k], 10 + k);
  }
  EXPECT_EQ(countersOf(*executor)[0].step.copiedBytes, 2 * (8 + 4 + 8));
}

using nlohmann::json;

json traceOf(const runtime::Executor &executor) {
  std::ostringstream text;
  EXPECT_TRUE(executor.writeTrace(text).ok());
  return json::parse(text.str());
}

/// After so many steps of rowParallel.
static std::unique_ptr<Executor>
runSteps(int count, const runtime::ExecutorOptions &options) {
  MemoryTensors weights, inputs, outputs;
  fill(weights, "w", {hidden, width}, 1);
  fill(weights, "b", {width}, 2);
  fill(inputs, "x", {batch, hidden}, 3);
  static const plan::Plan plan = rowParallel();
  auto executor = start(plan, {{"add_one", addOne}}, options);
  EXPECT_TRUE(executor && executor->load(weights).ok());
  for (int i = 0; executor && i < count; ++i)
    EXPECT_TRUE(executor->step(inputs, outputs).ok());
  return executor;
}

TEST(ExecutorPlans, TraceIsJson) {
  runtime::ExecutorOptions options;
  options.traceEvents = 6; // a rank: 3 of load, 3 of 4 of step
  auto executor = runSteps(1, options);
  ASSERT_TRUE(executor);
  json trace = traceOf(*executor);
  int64_t spans = 0;
  for (const json &event : trace["traceEvents"])
    spans += event["ph"] == "X" && event["cat"] != "waiting";
  EXPECT_EQ(spans, 4 * 6);
  EXPECT_EQ(trace["otherData"]["instructions_left_out"], 4);
}

// What moves is told by kind, bytes and peers, by step and by line; the time
// that it waits, apart from that in which it moves.
TEST(ExecutorPlans, TraceTellsCollectives) {
  runtime::ExecutorOptions options;
  options.traceEvents = 100;
  options.stepsBefore = 40;
  auto executor = runSteps(2, options);
  ASSERT_TRUE(executor);
  std::vector<int64_t> steps;
  int64_t bytes = 0;
  double waiting = 0, nested = 0;
  json trace = traceOf(*executor);
  for (const json &event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["tid"] != 1)
      continue;
    if (event["cat"] == "waiting")
      nested += double(event["dur"]);
    const json &args = event["args"];
    if (!args.contains("bytes"))
      continue;
    EXPECT_EQ(args["kind"], steps.size() % 2 ? "all_gather" : "reduce_scatter");
    EXPECT_EQ(event["cat"], args["kind"]);
    EXPECT_EQ(args["schedule"], "s.hkt:3:4");
    EXPECT_EQ(args["peers"], json::array({0})); // the other one of its row
    EXPECT_NEAR(double(args["waiting_us"]) + double(args["moving_us"]),
                double(event["dur"]), 0.01);
    steps.push_back(args["step"]);
    bytes += int64_t(args["bytes"]);
    waiting += double(args["waiting_us"]);
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{41, 41, 42, 42}));
  const runtime::RankCounters counted = countersOf(*executor)[1];
  int64_t received = 0;
  for (const runtime::CollectiveCounter &counter : counted.step.collectives)
    received += counter.receivedBytes;
  EXPECT_EQ(bytes, received);
  EXPECT_GT(waiting, 0);
  EXPECT_NEAR(waiting, nested, 0.01);
}
