//===- ArenaTest.cpp - buffers that communicate in the arenas of classes --===//

#include "lib/Planning/Arena.h"
#include "hocket/Plan/Summary.h"
#include <gtest/gtest.h>

using namespace hocket;
using planning::Life;

namespace {

/// Ranks with buffers of these sizes, all of which live at once; the one called
/// `sent` is summed in the first collective.
struct Classes {
  plan::Plan plan;
  std::vector<std::vector<Life>> lives;

  void add(const std::vector<int64_t> &bytes, int sent) {
    plan::RankClass rankClass;
    rankClass.ranks = {int64_t(plan.classes.size())};
    for (int64_t size : bytes)
      rankClass.buffers.push_back(
          {plan::Region::Arena, 0, size, plan::DType::F32});
    plan::View view{sent, 0, {}, {bytes[sent] / 4}, {1}};
    plan::Collective sum{plan::AllReduce(), {0}, {{view, view}}};
    rankClass.step.push_back({-1, sum});
    plan.classes.push_back(rankClass);
    lives.emplace_back(bytes.size(), Life{0, 1, true});
  }
  std::vector<int64_t> arenas() {
    planning::placeArenas(plan, lives);
    std::vector<int64_t> list;
    for (const plan::RankClass &rankClass : plan.classes)
      list.push_back(rankClass.budget.arenaBytes);
    return list;
  }
  int64_t offset(size_t rankClass, int buffer) const {
    return plan.classes[rankClass].buffers[buffer].offset;
  }
};

using Sizes = std::vector<int64_t>;

} // namespace

// By size alone it would lie behind 6400 bytes in one class, and first in the
// other.
TEST(ArenaTest, WhatCommunicatesLiesFirst) {
  Classes classes;
  classes.add({6400, 3200}, 1);
  classes.add({3200, 1600}, 0);
  EXPECT_EQ(classes.arenas(), (Sizes{9600, 4800}));
  EXPECT_EQ(classes.offset(0, 1), 0);
  EXPECT_EQ(classes.offset(1, 0), 0);
  plan::WindowCount count = plan::countWindows(classes.plan);
  EXPECT_EQ(count.all, 2);
  EXPECT_EQ(count.elsewhere, 0);
}

// A second window lies behind the first, which is larger in one class: the
// other would have a gap of half of its arena.
TEST(ArenaTest, NoArenaGrowsMuch) {
  for (bool isLarge : {true, false}) {
    Classes classes;
    classes.add({6400, 3200}, 0);
    classes.add({isLarge ? 6400 : 64, 3200}, 0);
    for (plan::RankClass &rankClass : classes.plan.classes) {
      plan::Collective next =
          std::get<plan::Collective>(rankClass.step[0].body);
      next.id = 1;
      next.pairs[0].src.buffer = next.pairs[0].dst.buffer = 1;
      rankClass.step.push_back({-1, next});
    }
    EXPECT_EQ(classes.arenas(), (Sizes{9600, isLarge ? 9600 : 3264}));
    EXPECT_EQ(plan::countWindows(classes.plan).elsewhere, isLarge ? 0 : 4);
  }
}

// Nobody reads what has no byte, and it may lie anywhere.
TEST(ArenaTest, NothingLiesAnywhere) {
  Classes classes;
  classes.add({6400, 3200}, 1);
  classes.add({64, 0}, 1);
  EXPECT_EQ(classes.arenas(), (Sizes{9600, 64}));
  EXPECT_EQ(plan::countWindows(classes.plan).all, 0);
}
