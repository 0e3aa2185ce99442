//===- PlanTraffic.cpp - what ranks receive, by formula and by pair -------===//

#include "hocket/Plan/HaloRuns.h"
#include "hocket/Plan/Traffic.h"
#include "test/Runtime/HaloCase.h"
#include "test/Runtime/PlanBuilder.h"
#include <gtest/gtest.h>

using namespace hocket;
using namespace hocket::plan;
using namespace hocket::test;

namespace {

using Numbers = std::vector<int64_t>;

int64_t sum(const Numbers &list) {
  return std::accumulate(list.begin(), list.end(), int64_t(0));
}

int64_t positive(const Numbers &list) {
  return std::count_if(list.begin(), list.end(),
                       [](int64_t value) { return value > 0; });
}

/// By run as by position, and of all members as of each pair.
void expectCounted(const Halo &halo) {
  HaloCounts exchange = countExchange(halo), reduce = countReduce(halo);
  for (int64_t me = 0; me < int64_t(halo.size.size()); ++me) {
    Numbers attached = halo.readInExchange(me), added = halo.readInReduce(me);
    EXPECT_EQ(readInExchange(halo, me), attached);
    EXPECT_EQ(readInReduce(halo, me), added);
    EXPECT_EQ(exchange.positions[me], sum(attached));
    EXPECT_EQ(exchange.peers[me], positive(attached));
    EXPECT_EQ(reduce.positions[me], sum(added));
    EXPECT_EQ(reduce.peers[me], positive(added));
  }
}

TEST(PlanTraffic, HalosAreCountedByRun) {
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i)
    for (Border border :
         {Border::Zero, Border::Reflect, Border::Replicate, Border::Circular})
      expectCounted(randomHalo(random, 1 + i % 6, border));
  for (int i = 0; i < 400; ++i)
    expectCounted(randomRows(random, 1 + i % 6));
}

// A dim whose positions no loop could visit.
TEST(PlanTraffic, TimeDoesNotGrowWithPositions) {
  int64_t part = int64_t(1) << 38;
  Halo halo{{0, part, 2 * part},
            {part, part, part},
            {-5, part - 5, 2 * part - 5},
            {part + 10, part + 10, part + 10},
            3 * part,
            Border::Circular};
  EXPECT_EQ(readInExchange(halo, 0), (Numbers{0, 5, 5}));
  EXPECT_EQ(countExchange(halo).positions, (Numbers{10, 10, 10}));
  EXPECT_EQ(countReduce(halo).peers, (Numbers{2, 2, 2}));
}

/// Six ranks in one class, and collectives of all kinds over one or both axes.
struct TrafficPlan {
  TrafficPlan() : random(2), ranks({0, 1, 2, 3, 4, 5}) {
    plan.mesh = {{"dp", 2}, {"tp", 3}};
    for (int i = 0; i < 60; ++i)
      add();
    plan.classes.push_back(std::move(ranks.result));
  }

  int64_t below(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
  }
  int table(const std::vector<int> &axes) {
    plan.tables.push_back({axes, {}});
    for (int64_t i = 0; i < plan.memberCount(axes); ++i)
      plan.tables.back().values.push_back(below(3));
    return int(plan.tables.size()) - 1;
  }
  View view() { return ranks.arena({below(3), 1 + below(4)}); }

  std::vector<Share> shares(const Collective &c) {
    std::vector<Share> list;
    for (size_t i = 0; i < c.pairs.size(); ++i)
      list.push_back({i == 0 ? 1 : 0, -1, table(c.axes)});
    return list;
  }
  decltype(Collective::kind) kind(const Collective &c) {
    switch (below(5)) {
    case 0:
      return AllReduce();
    case 1:
      return ReduceScatter{shares(c)};
    case 2:
      return AllGather{shares(c)};
    case 3:
      return AllToAll{shares(c), {}};
    default:
      return Broadcast{below(2)};
    }
  }

  void add() {
    Collective c;
    c.axes = std::vector<std::vector<int>>{{0}, {1}, {0, 1}}[below(3)];
    for (int64_t i = below(4); i >= 0; --i)
      c.pairs.push_back({{}, view()});
    c.kind = kind(c);
    c.id = int64_t(ranks.result.step.size());
    ranks.result.step.push_back({-1, c});
  }

  std::mt19937 random;
  Plan plan;
  test::ClassBuilder ranks;
};

TEST(PlanTraffic, RanksReceiveWhatPairsSay) {
  TrafficPlan made;
  const Plan &plan = made.plan;
  Traffic traffic(plan, &RankClass::step);
  ASSERT_EQ(traffic.entries().size(), 60u);
  Numbers total(6, 0);
  for (const Traffic::Entry &entry : traffic.entries()) {
    std::vector<Received> ranks = traffic.byRank(entry);
    Received most;
    for (int64_t rank = 0; rank < 6; ++rank) {
      Numbers from =
          receivedFrom(plan, plan.classes[0], *entry.collective, rank);
      EXPECT_EQ(ranks[rank].bytes, sum(from)) << entry.collective->id;
      EXPECT_EQ(ranks[rank].peers, positive(from)) << entry.collective->id;
      total[rank] += sum(from);
      most.bytes = std::max(most.bytes, sum(from));
      most.peers = std::max(most.peers, positive(from));
    }
    EXPECT_EQ(traffic.most(entry).bytes, most.bytes);
    EXPECT_EQ(traffic.most(entry).peers, most.peers);
  }
  std::vector<Received> all =
      traffic.total([](const Collective &) { return true; });
  for (int64_t rank = 0; rank < 6; ++rank)
    EXPECT_EQ(all[rank].bytes, total[rank]);
}

} // namespace
