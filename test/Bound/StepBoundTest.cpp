//===- StepBoundTest.cpp - times of small steps, by hand ------------------===//

#include "hocket/Bound/StepBound.h"
#include "test/Runtime/PlanBuilder.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::bound;
using namespace hocket::plan;
using hocket::test::ClassBuilder;

namespace {

/// 1 byte of memory and 1 flop of f32 a second; launches take nothing that
/// counts.
DescribedDevice slowDevice() {
  DescribedDevice device;
  device.name = "slow";
  device.memory = 1, device.f32 = 1, device.halfMatrix = 8;
  device.f64 = 0.5, device.f64Matrix = 2, device.link = 0.25;
  device.launch = 1e-9, device.multiprocessors = 4;
  return device;
}

/// One class of two ranks on a mesh (x = 2).
struct Program {
  Program() : builder({0, 1}) {
    plan.target = Target::Cuda;
    plan.mesh = {{"x", 2}};
    plan.tables = {{{0}, {0, 2}}, {{0}, {2, 2}}};
  }
  View arena(std::vector<int64_t> shape, DType type = DType::F32) {
    return builder.arena(std::move(shape), type);
  }
  template <class Body> void add(const Body &body) {
    builder.result.step.push_back({-1, body});
  }
  void addGather(bool isStarted) {
    Collective gather;
    gather.kind = AllGather{{{0, 0, 1}}};
    gather.axes = {0};
    gather.pairs = {{arena({2, 8}), arena({4, 8})}}; // 64 bytes from the other
    gather.isStarted = isStarted;
    add(gather);
  }
  void addCopy(int64_t elements) {
    add(Copy{arena({elements}), arena({elements})}); // 8 bytes each
  }

  StepBound bound(const DescribedDevice &device = slowDevice()) {
    plan.classes = {builder.result};
    StepBound bound;
    runtime::Status status = boundStep(plan, device, bound);
    EXPECT_TRUE(status.ok()) << status.message;
    return bound;
  }

  Plan plan;
  ClassBuilder builder;
};

double secondsOf(const KindBound &row, Limit limit) {
  return row.seconds[size_t(limit)];
}

TEST(StepBound, WhatBindsAnInstruction) {
  Program p;
  p.addCopy(10);
  // 2 * 16 * 16 * 16 flops at 1 a second; 3 * 1024 bytes
  Matmul matmul;
  matmul.a = p.arena({16, 16}), matmul.b = p.arena({16, 16});
  matmul.c = p.arena({16, 16});
  p.add(matmul);
  RankBound rank = p.bound().slowest[0];
  ASSERT_EQ(rank.kinds.size(), 2u);
  EXPECT_EQ(rank.kinds[0].kind, "copy");
  EXPECT_EQ(secondsOf(rank.kinds[0], Limit::Memory), 80);
  EXPECT_EQ(sumOf(rank.kinds[0].seconds), 80);
  EXPECT_EQ(rank.kinds[0].launches.copies, 1);
  EXPECT_EQ(rank.kinds[1].kind, "matmul");
  EXPECT_EQ(secondsOf(rank.kinds[1], Limit::Vector), 8192);
  EXPECT_EQ(rank.kinds[1].launches.library, 1);
  EXPECT_EQ(sumOf(rank.total.seconds), 8272);
  EXPECT_EQ(rank.total.calls, 2);
  EXPECT_EQ(rank.total.readBytes, 40 + 2048);
  EXPECT_EQ(rank.total.writtenBytes, 40 + 1024);
  EXPECT_EQ(rank.total.flops[size_t(Unit::F32)], 8192);
}

TEST(StepBound, EachTypeHasItsRate) {
  for (auto [type, rate, limit] : {std::tuple(DType::BF16, 8.0, Limit::Matrix),
                                   {DType::F64, 2.0, Limit::Matrix},
                                   {DType::F32, 1.0, Limit::Vector}}) {
    Program p;
    Matmul matmul;
    matmul.a = p.arena({64, 64}, type), matmul.b = p.arena({64, 64}, type);
    matmul.c = p.arena({64, 64}, type);
    p.add(matmul);
    DescribedDevice device = slowDevice();
    device.memory = 100;
    EXPECT_EQ(secondsOf(p.bound(device).slowest[0].total, limit),
              2 * 64 * 64 * 64 / rate);
  }
}

TEST(StepBound, AKernelHasNoMoreMultiprocessorsThanBlocks) {
  for (auto [blocks, seconds] :
       {std::pair(1, 4000.0), {2, 2000.0}, {4, 1000.0}, {400, 1000.0}}) {
    Program p;
    p.add(Kernel{"k", {p.arena({4})}, {p.arena({4})}, {}, blocks, 32, 1000});
    EXPECT_EQ(secondsOf(p.bound().slowest[0].total, Limit::Vector), seconds);
  }
}

TEST(StepBound, LaunchesFollowEachOther) {
  Program p;
  p.addCopy(1);
  p.add(Kernel{"k", {}, {}, {}, 0, 32, 0}); // no block, no launch
  DescribedDevice device = slowDevice();
  device.launch = 100;
  RankBound rank = p.bound(device).slowest[0];
  EXPECT_EQ(secondsOf(rank.total, Limit::Launch), 100);
  EXPECT_EQ(sumOf(rank.total.seconds), 100);
  EXPECT_EQ(rank.total.launches.all(), 1);
}

TEST(StepBound, ACollectiveTakesTheLink) {
  Program p;
  p.addGather(/*isStarted=*/false);
  RankBound rank = p.bound().slowest[0];
  EXPECT_EQ(rank.kinds[0].kind, "all_gather");
  EXPECT_EQ(rank.kinds[0].receivedBytes, 64);
  EXPECT_EQ(secondsOf(rank.kinds[0], Limit::Link), 256);
  EXPECT_EQ(rank.kinds[0].hiddenSeconds, 0);
  // What it reads and writes may take longer.
  DescribedDevice device = slowDevice();
  device.memory = 0.5;
  EXPECT_EQ(secondsOf(p.bound(device).slowest[0].total, Limit::Memory), 384);
}

TEST(StepBound, WhatRunsBesideIsHidden) {
  Program p;
  p.addGather(/*isStarted=*/true); // 256 seconds
  p.addCopy(25);                   // 200 seconds
  p.add(Wait{0});
  RankBound rank = p.bound().slowest[0];
  ASSERT_EQ(rank.kinds.size(), 2u); // a wait is its collective's
  EXPECT_EQ(secondsOf(rank.kinds[0], Limit::Link), 56);
  EXPECT_EQ(rank.kinds[0].hiddenSeconds, 200);
  EXPECT_EQ(sumOf(rank.total.seconds), 256);
  p.addCopy(10);
  EXPECT_EQ(sumOf(p.bound().slowest[0].total.seconds), 336);
}

TEST(StepBound, CollectivesFollowEachOther) {
  Program p;
  p.addGather(true);
  p.addGather(true);
  std::get<Collective>(p.builder.result.step[1].body).id = 1;
  p.addCopy(40); // 320 seconds
  p.add(Wait{0});
  p.add(Wait{1});
  RankBound rank = p.bound().slowest[0];
  EXPECT_EQ(secondsOf(rank.total, Limit::Link), 2 * 256 - 320);
  EXPECT_EQ(rank.total.hiddenSeconds, 320);
}

TEST(StepBound, TheRankThatTakesLongest) {
  Program p;
  p.plan.tables = {{{0}, {0, 1}}, {{0}, {1, 3}}};
  p.addGather(false); // members have 1 and 3 of 4 rows
  StepBound bound = p.bound();
  EXPECT_EQ(bound.secondsPerRank, (std::vector<double>{4 * 96, 192}));
  EXPECT_EQ(bound.slowest[0].rank, 0);
  EXPECT_EQ(bound.slowestClass(), 0u);
}

TEST(StepBound, WhatNoGpuRunsIsSaid) {
  Program p;
  p.plan.sources = {{"norm", "net.hkt:3:4", ""}};
  p.builder.result.step = {{0, PackWeight{}}};
  p.plan.classes = {p.builder.result};
  StepBound bound;
  runtime::Status status = boundStep(p.plan, slowDevice(), bound);
  EXPECT_EQ(
      status.message,
      "pack_weight of \"norm\" (net.hkt:3:4): not supported yet on a GPU: "
      "a packed weight");
}

} // namespace
