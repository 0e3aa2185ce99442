//===- Replay.cpp - steps that are run as one graph -----------------------===//

#include "runtime/lib/Executor/State.h"
#include <algorithm>
#include <future>

namespace hocket::runtime {

bool Executor::State::canReplay(NotFinite rule) const {
  if (!hasStepped || !options.recordsSteps || !runners.front()->recorder())
    return false;
  if (rule == NotFinite::Update)
    return true;
  // Ranks that share a graph meet in the same collectives of each part.
  int64_t count = runners.front()->collectivesBeforeDecision();
  return count >= 0 &&
         std::all_of(runners.begin(), runners.end(), [&](const auto &runner) {
           return runner->collectivesBeforeDecision() == count;
         });
}

/// Runs `ofFirst` on the first rank of this process, which may take long,
/// `meanwhile` on the others, and on these `ofOthers` when it has ended well.
Status Executor::State::runFirst(const char *phase, RunnerTask ofFirst,
                                 RunnerTask ofOthers, RunnerTask meanwhile) {
  auto ended = std::make_shared<std::promise<bool>>();
  std::shared_future<bool> isWell = ended->get_future().share();
  const RankRunner *first = runners.front().get();
  return runLocal(phase, [=](RankRunner &rank) {
    if (&rank != first) {
      Status status = meanwhile(rank);
      return isWell.get() && status.ok() ? ofOthers(rank) : status;
    }
    Status status = ofFirst(rank);
    ended->set_value(status.ok());
    return status;
  });
}

static Status doNothing(RankRunner &) { return Status::success(); }

/// Ranks meet between tasks.
Status Executor::State::recordGraph(StepPart part) {
  constexpr const char *phase = "recording of a step";
  Recorder *first = runners.front()->recorder();
  std::vector<Recorder *> others;
  for (size_t i = 1; i < runners.size(); ++i)
    others.push_back(runners[i]->recorder());
  int64_t before = receivedBytes();
  Status status = runFirst(
      phase, [=](RankRunner &) { return first->begin(); },
      [=](RankRunner &rank) { return rank.recorder()->join(*first); },
      doNothing);
  if (status.ok())
    status = runLocal(phase, [=](RankRunner &rank) {
      Status result = rank.recordStep(part);
      return result.ok() && rank.recorder() != first ? rank.recorder()->leave()
                                                     : result;
    });
  Recorded &made = recorded[size_t(part)];
  if (status.ok())
    status = runFirst(
        phase,
        [&made, first, others](RankRunner &) {
          return first->end(others, made.graph);
        },
        doNothing, doNothing);
  made.bytes = receivedBytes() - before;
  made.runs = 0;
  return status;
}

Status Executor::State::replay(StepPart part, NotFinite rule,
                               const TensorSource *next) {
  Recorded &one = recorded[size_t(part)];
  if (!one.graph)
    if (Status status = recordGraph(part); !status.ok())
      return status;
  ++one.runs;
  for (const std::unique_ptr<RankRunner> &runner : runners)
    runner->enterReplay(part);
  StepGraph *graph = one.graph.get();
  return runFirst(
      "step",
      [=](RankRunner &rank) {
        Status status = graph->start();
        if (status.ok() && next)
          rank.readAhead(*next);
        if (status.ok())
          status = graph->finish();
        return status.ok() ? rank.endReplay(part, rule) : status;
      },
      [=](RankRunner &rank) { return rank.endReplay(part, rule); },
      [=](RankRunner &rank) {
        if (next)
          rank.readAhead(*next);
        return Status::success();
      });
}

Status Executor::State::replay(NotFinite rule, const TensorSource *next) {
  if (rule == NotFinite::Update)
    return replay(StepPart::Whole, rule, next);
  Status status = replay(StepPart::BeforeDecision, rule, next);
  bool ends = rule == NotFinite::Stop && runners.front()->isWithheld;
  return status.ok() && !ends ? replay(StepPart::FromDecision, rule, nullptr)
                              : status;
}

} // namespace hocket::runtime
