//===- Peers.cpp - from whom ranks received, and whether as planned -------===//

#include "Peers.h"
#include "hocket/Plan/Summary.h"
#include <algorithm>

namespace hocket::runtime {

namespace {

/// One rank's count for one collective.
struct Counted {
  Stage stage;
  const plan::RankClass &rankClass;
  const plan::Instruction &instruction;
  const plan::Collective &collective;
  int64_t rank, runs;
  const std::vector<int64_t> &bytes; // by member, of all runs
};

} // namespace

/// Calls `use` for every collective that is counted, on every rank.
template <class Use>
static void forEach(const plan::Plan &plan, const RunReport &report,
                    Stage stage, const Use &use) {
  bool isLoad = stage == Stage::Load;
  for (const plan::RankClass &rankClass : plan.classes) {
    size_t number = 0;
    for (const plan::Instruction &instruction :
         isLoad ? rankClass.load : rankClass.step) {
      auto *collective = std::get_if<plan::Collective>(&instruction.body);
      if (!collective || !collective->isCounted())
        continue;
      for (int64_t rank : rankClass.ranks) {
        const RankCounters &counters = report.counters[rank];
        const PeerCounters &peers = report.peers[rank];
        use(Counted{stage, rankClass, instruction, *collective, rank,
                    (isLoad ? counters.load : counters.step).runs,
                    isLoad ? peers.load[number] : peers.step[number]});
      }
      ++number;
    }
  }
}

std::vector<int64_t> peersPerRank(const plan::Plan &plan,
                                  const RunReport &report, Stage stage,
                                  const std::string &kind) {
  std::vector<int64_t> most(plan.rankCount(), 0);
  forEach(plan, report, stage, [&](const Counted &counted) {
    if (plan::toString(counted.collective.namedKind()) == kind)
      most[counted.rank] =
          std::max(most[counted.rank], plan::peersIn(counted.bytes));
  });
  return most;
}

/// Of what member `peer` has sent, of which the plan says `planned`.
static Status differs(const plan::Plan &plan, const Counted &counted,
                      size_t peer, int64_t planned) {
  const plan::Collective &collective = counted.collective;
  plan::Source source;
  if (counted.instruction.source >= 0)
    source = plan.sources[counted.instruction.source];
  int64_t from = plan.members(counted.rank, collective.axes)[peer];
  std::string where =
      plan::describe(plan::toString(collective.namedKind()), source);
  return Status::runtimeError(
      "the run counted " + std::to_string(counted.bytes[peer]) +
      " bytes from rank " + std::to_string(from) + " to rank " +
      std::to_string(counted.rank) + " in " + where + ", " +
      std::to_string(counted.runs) + (counted.runs == 1 ? " run" : " runs") +
      " of " + (counted.stage == Stage::Load ? "load" : "step") +
      "; the plan says " + std::to_string(planned));
}

Status checkPeers(const plan::Plan &plan, const RunReport &report) {
  Status first;
  auto check = [&](const Counted &counted) {
    std::vector<int64_t> planned = plan::receivedFrom(
        plan, counted.rankClass, counted.collective, counted.rank);
    for (size_t peer = 0; peer < planned.size(); ++peer)
      if (int64_t bytes = planned[peer] * counted.runs;
          first.ok() && counted.bytes[peer] != bytes)
        first = differs(plan, counted, peer, bytes);
  };
  forEach(plan, report, Stage::Load, check);
  forEach(plan, report, Stage::Step, check);
  return first;
}

} // namespace hocket::runtime
