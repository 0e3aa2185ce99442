//===- LaunchOrderTest.cpp - seeded swaps of collectives are refused ------===//
//
// All ranks issue the same collectives in one order, on CPUs and of NCCL, or
// the plan is refused. Of plans of the examples with gradients each rank gets a
// program of its own; then one rank exchanges two collectives that follow one
// another, leaves one out, or has another kind of it.
//
//===----------------------------------------------------------------------===//

#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Check.h"
#include "hocket/Plan/Plan.h"
#include "test/Paths.h"
#include <algorithm>
#include <gtest/gtest.h>

// After gtest, whose folder for temporaries it uses.
#include "test/Runtime/RunProgram.h"

using namespace hocket;
using namespace hocket::test;
using hocket::plan::Instructions;
using plan::Collective;
using plan::Plan;

namespace {

/// The plan for GPUs of a file of docs/examples, a class for each rank.
Plan planOf(const std::string &options) {
  TemporaryFolder folder;
  ProgramResult made =
      runProgram(folder, builtPath("bin/hocket") +
                             " compile --target=cuda --grad --emit=plan " +
                             sourcePath("docs/examples/") + options);
  EXPECT_EQ(made.status, 0) << made.err;
  Plan shared, own;
  std::string error;
  EXPECT_TRUE(plan::fromJson(made.out, shared, error)) << error;
  own = shared;
  own.classes.clear();
  for (int64_t rank = 0; rank < shared.rankCount(); ++rank)
    for (const plan::RankClass &each : shared.classes)
      if (std::count(each.ranks.begin(), each.ranks.end(), rank)) {
        own.classes.push_back(each);
        own.classes.back().ranks = {rank};
      }
  EXPECT_TRUE(plan::checkOrder(own, error)) << error;
  return own;
}

std::string problemOf(const Plan &plan) {
  std::string error;
  EXPECT_EQ(plan::checkOrder(plan, error), error.empty());
  return error;
}

/// Where ranks meet.
std::vector<size_t> collectivesOf(const Instructions &list) {
  std::vector<size_t> places;
  for (size_t i = 0; i < list.size(); ++i)
    if (auto *one = std::get_if<Collective>(&list[i].body); one && one->moves())
      places.push_back(i);
  return places;
}

/// Whether another rank is a member of both.
bool share(const Plan &plan, int64_t rank, const Collective &a,
           const Collective &b) {
  std::vector<int64_t> first = plan.members(rank, a.axes),
                       second = plan.members(rank, b.axes);
  return std::any_of(first.begin(), first.end(), [&](int64_t member) {
    return member != rank && std::count(second.begin(), second.end(), member);
  });
}

void expectRefused(const std::string &options) {
  SCOPED_TRACE(options);
  const Plan good = planOf(options);
  int swaps = 0;
  for (size_t rank = 0; rank < good.classes.size(); ++rank) {
    const Instructions &list = good.classes[rank].step;
    std::vector<size_t> places = collectivesOf(list);
    for (size_t i = 0; i + 1 < places.size(); ++i) {
      size_t a = places[i], b = places[i + 1];
      if (!share(good, int64_t(rank), std::get<Collective>(list[a].body),
                 std::get<Collective>(list[b].body)))
        continue;
      Plan swapped = good;
      std::swap(swapped.classes[rank].step[a], swapped.classes[rank].step[b]);
      EXPECT_NE(problemOf(swapped).find("wait for each other for ever"),
                std::string::npos)
          << "rank " << rank << ", collectives " << i << " and " << i + 1;
      ++swaps;
    }
    for (size_t place : places) {
      Plan without = good;
      Instructions &kept = without.classes[rank].step;
      kept.erase(kept.begin() + int64_t(place));
      EXPECT_NE(problemOf(without), "") << "rank " << rank << ", " << place;
      Plan other = good;
      auto &one = std::get<Collective>(other.classes[rank].step[place].body);
      one.id += 1000;
      EXPECT_NE(problemOf(other), "") << "rank " << rank << ", " << place;
    }
  }
  EXPECT_GT(swaps, 0);
}

const std::string sizes = " -D layers=1 -D hidden=24 -D heads=4 -D vocab=31"
                          " -D positions=16 -D batch=2 -D seq=12";

} // namespace

TEST(LaunchOrder, OfTransformers) {
  expectRefused("gpt2_schedules.hkt --schedule tensor_and_context" + sizes);
  expectRefused("gpt2_schedules.hkt --schedule data_and_tensor" + sizes);
  expectRefused("gpt2.hkt --schedule deferred_gather" + sizes);
}

TEST(LaunchOrder, OfDomains) {
  expectRefused("unet.hkt -D c=8 -D height=13 -D width=8 --schedule "
                "domain_channels");
  expectRefused("graph.hkt -D channels=8 -D layers=1 --schedule "
                "domain_and_data");
  expectRefused("anemoi.hkt -D layers=1 -D channels=16 -D heads=4 -D reach=3 "
                "-D grid=24 -D batch=2 --schedule domain_fsdp_and_tensor");
}
