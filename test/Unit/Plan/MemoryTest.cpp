//===- MemoryTest.cpp - buffers share the arena by lifetime ---------------===//

#include "lib/Plan/Memory.h"
#include "gtest/gtest.h"

using namespace hocket;
using namespace hocket::planning;

namespace {

plan::View viewOf(int buffer) {
  plan::View view;
  view.buffer = buffer;
  view.shape = {1};
  view.strides = {1};
  return view;
}

void addCopy(std::vector<plan::Instruction> &list, int from, int to) {
  list.push_back({-1, plan::Copy{viewOf(from), viewOf(to)}});
}

void addFill(std::vector<plan::Instruction> &list, int to) {
  list.push_back({-1, plan::Fill{viewOf(to), 0}});
}

} // namespace

TEST(Memory, DisjointLivesShareAPlace) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  int a = memory.add(plan::DType::F32, 100);
  int b = memory.add(plan::DType::F32, 100);
  int c = memory.add(plan::DType::F32, 100);
  addFill(rankClass.step, a);
  addCopy(rankClass.step, a, b);
  addCopy(rankClass.step, b, c); // a is over
  memory.assign();
  EXPECT_EQ(rankClass.buffers[a].offset, rankClass.buffers[c].offset);
  EXPECT_NE(rankClass.buffers[a].offset, rankClass.buffers[b].offset);
  EXPECT_EQ(rankClass.budget.arenaBytes, 2 * 448); // multiples of 64
}

TEST(Memory, AnInstructionsOperandsNeverOverlapItsResults) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  int a = memory.add(plan::DType::F32, 16);
  int b = memory.add(plan::DType::F32, 16);
  addFill(rankClass.step, a);
  addCopy(rankClass.step, a, b);
  memory.assign();
  EXPECT_NE(rankClass.buffers[a].offset, rankClass.buffers[b].offset);
}

TEST(Memory, WhatStepReadsOfLoadIsWeights) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  int weight = memory.add(plan::DType::F32, 16);
  int scratch = memory.add(plan::DType::F32, 16);
  int result = memory.add(plan::DType::F32, 16);
  addFill(rankClass.load, scratch);
  addCopy(rankClass.load, scratch, weight);
  addCopy(rankClass.step, weight, result);
  memory.assign();
  EXPECT_EQ(rankClass.buffers[weight].region, plan::Region::Weights);
  EXPECT_EQ(rankClass.buffers[scratch].region, plan::Region::Arena);
  EXPECT_EQ(rankClass.budget.weightBytes, 64);
  EXPECT_EQ(rankClass.budget.arenaBytes, 64); // load and step in turn
}

TEST(Memory, APackedWeightIsNotReadAgain) {
  plan::RankClass rankClass;
  Memory memory(rankClass);
  int weight = memory.add(plan::DType::F32, 16);
  int a = memory.add(plan::DType::F32, 16);
  int c = memory.add(plan::DType::F32, 16);
  addFill(rankClass.load, weight);
  rankClass.load.push_back({-1, plan::PackWeight{0, viewOf(weight), 1}});
  addFill(rankClass.step, a);
  plan::Matmul matmul;
  matmul.a = viewOf(a);
  matmul.b = viewOf(weight);
  matmul.c = viewOf(c);
  matmul.packedWeight = 0;
  rankClass.step.push_back({-1, matmul});
  memory.assign();
  EXPECT_EQ(rankClass.buffers[weight].region, plan::Region::Arena);
  EXPECT_EQ(rankClass.budget.weightBytes, 0);
}
