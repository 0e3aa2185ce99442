//===- Replay.cpp - steps that are run as one graph -----------------------===//

#include "runtime/lib/Executor/State.h"
#include <future>

namespace hocket::runtime {

bool Executor::State::canReplay() const {
  return hasStepped && options.recordsSteps && runners.front()->recorder();
}

/// Runs `ofFirst` on the first rank of this process, which may take long, and
/// `ofOthers` on the others when it has ended well.
Status Executor::State::runFirst(const char *phase, RunnerTask ofFirst,
                                 RunnerTask ofOthers) {
  auto ended = std::make_shared<std::promise<bool>>();
  std::shared_future<bool> isWell = ended->get_future().share();
  const RankRunner *first = runners.front().get();
  return runLocal(phase, [=](RankRunner &rank) {
    if (&rank != first)
      return isWell.get() ? ofOthers(rank) : Status::success();
    Status status = ofFirst(rank);
    ended->set_value(status.ok());
    return status;
  });
}

/// Ranks meet between tasks.
Status Executor::State::recordGraph() {
  constexpr const char *phase = "recording of a step";
  auto nothing = [](RankRunner &) { return Status::success(); };
  Recorder *first = runners.front()->recorder();
  std::vector<Recorder *> others;
  for (size_t i = 1; i < runners.size(); ++i)
    others.push_back(runners[i]->recorder());
  int64_t before = receivedBytes();
  Status status = runFirst(
      phase, [=](RankRunner &) { return first->begin(); },
      [=](RankRunner &rank) { return rank.recorder()->join(*first); });
  if (status.ok())
    status = runLocal(phase, [=](RankRunner &rank) {
      Status recorded = rank.recordStep();
      return recorded.ok() && rank.recorder() != first
                 ? rank.recorder()->leave()
                 : recorded;
    });
  if (status.ok())
    status = runFirst(
        phase, [=](RankRunner &) { return first->end(others, graph); },
        nothing);
  bytesOfReplay = receivedBytes() - before;
  replays = 0;
  return status;
}

Status Executor::State::replay() {
  if (!graph)
    if (Status status = recordGraph(); !status.ok())
      return status;
  ++replays;
  for (const std::unique_ptr<RankRunner> &runner : runners)
    runner->enterReplay();
  return runFirst(
      "step",
      [this](RankRunner &rank) {
        Status status = graph->run();
        return status.ok() ? rank.endReplay() : status;
      },
      [](RankRunner &rank) { return rank.endReplay(); });
}

} // namespace hocket::runtime
