//===- MemoryTest.cpp - buffers share the arena by lifetime ---------------===//

#include "lib/Planning/Arena.h"
#include "gtest/gtest.h"

using namespace hocket;
using namespace hocket::planning;

namespace {

/// One instruction that uses these buffers.
void use(Memory &memory, std::initializer_list<int> buffers) {
  for (int buffer : buffers)
    memory.use(buffer);
  memory.next();
}

int arena(Memory &memory, int64_t elements) {
  return memory.add(plan::Region::Arena, plan::DType::F32, elements);
}

void assign(Memory &memory, plan::RankClass &rankClass) {
  memory.assignWeights();
  plan::Plan plan;
  plan.classes = {rankClass};
  placeArenas(plan, {memory.getLives()});
  rankClass = plan.classes[0];
}

} // namespace

TEST(Memory, DisjointLivesShareAPlace) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  memory.beginStep();
  int a = arena(memory, 100), b = arena(memory, 100), c = arena(memory, 100);
  use(memory, {a});
  use(memory, {a, b});
  memory.release(a);
  use(memory, {b, c});
  assign(memory, rankClass);
  EXPECT_EQ(rankClass.buffers[a].offset, rankClass.buffers[c].offset);
  EXPECT_NE(rankClass.buffers[a].offset, rankClass.buffers[b].offset);
  EXPECT_EQ(rankClass.budget.arenaBytes, 2 * 448); // multiples of 64
}

TEST(Memory, WhatIsReleasedLaterKeepsItsPlace) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  memory.beginStep();
  int a = arena(memory, 100), b = arena(memory, 100), c = arena(memory, 100);
  use(memory, {a});
  use(memory, {a, b});
  use(memory, {b, c});
  memory.release(a);
  assign(memory, rankClass);
  EXPECT_NE(rankClass.buffers[a].offset, rankClass.buffers[c].offset);
  EXPECT_EQ(rankClass.budget.arenaBytes, 3 * 448);
}

TEST(Memory, AnInstructionsOperandsNeverOverlapItsResults) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  memory.beginStep();
  int a = arena(memory, 16), b = arena(memory, 16);
  use(memory, {a});
  use(memory, {a, b});
  assign(memory, rankClass);
  EXPECT_NE(rankClass.buffers[a].offset, rankClass.buffers[b].offset);
}

TEST(Memory, LoadingAndStepUseTheArenaInTurn) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  int scratch = arena(memory, 16);
  int weight = memory.add(plan::Region::Weights, plan::DType::F32, 16);
  use(memory, {scratch});
  use(memory, {scratch, weight});
  memory.beginStep();
  int result = arena(memory, 16);
  use(memory, {weight, result});
  assign(memory, rankClass);
  EXPECT_EQ(rankClass.buffers[scratch].offset, 0);
  EXPECT_EQ(rankClass.buffers[result].offset, 0);
  EXPECT_EQ(rankClass.budget.weightBytes, 64);
  EXPECT_EQ(rankClass.budget.arenaBytes, 64);
}

TEST(Memory, AWorkspaceIsOneInstructionsOwn) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  memory.beginStep();
  int a = arena(memory, 16), b = arena(memory, 16);
  int first = memory.addWorkspace(512);
  use(memory, {a, b});
  int second = memory.addWorkspace(1000);
  use(memory, {b});
  assign(memory, rankClass);
  const auto &buffers = rankClass.buffers;
  EXPECT_EQ(buffers[second].offset, 0);
  EXPECT_EQ(buffers[first].offset, 0);
  EXPECT_EQ(buffers[first].type, plan::DType::Bool);
  EXPECT_EQ(buffers[b].offset, 1024); // beside both
  EXPECT_EQ(buffers[a].offset, 512);  // beside the first
}

TEST(Memory, AWorkspaceBeginsAtAMultipleOf256) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  memory.beginStep();
  int large = arena(memory, 80); // 320 bytes
  int workspace = memory.addWorkspace(64);
  use(memory, {large});
  assign(memory, rankClass);
  EXPECT_EQ(rankClass.buffers[large].offset, 0);
  EXPECT_EQ(rankClass.buffers[workspace].offset, 512);
  EXPECT_EQ(rankClass.budget.arenaBytes, 576);
}
