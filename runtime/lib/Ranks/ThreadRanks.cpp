//===- ThreadRanks.cpp - ranks that are threads of this process -----------===//

#include "runtime/lib/Ranks/ThreadRanks.h"
#include "hocket/Runtime/ThreadCommunicator.h"
#include "runtime/lib/Ranks/Workers.h"
#include <algorithm>
#include <atomic>
#include <new>

namespace hocket::runtime {

namespace {

/// What a thread that is stuck goes on to refer to.
struct Shared {
  ThreadRankOptions options;
  std::unique_ptr<World> world;
  std::vector<RankOutcome> outcomes; // of the last task
  static constexpr int64_t nobody = INT64_MAX;
  std::atomic<int64_t> lowestFailed{nobody}; // rank
  bool allEnded = true;                      // the last task

  bool runOne(size_t local, const RankTask &task);
  Status explain(const RankTask &task, const std::vector<bool> &ended) const;
  std::string nameOf(size_t local) const {
    return "rank " + std::to_string(options.numbers[local]);
  }
};

class ThreadRanks : public LocalRanks {
public:
  ThreadRanks(const ThreadRankOptions &options, std::unique_ptr<World> world)
      : shared(std::make_shared<Shared>()) {
    shared->options = options;
    shared->world = std::move(world);
    shared->outcomes.resize(options.numbers.size());
  }

  const std::vector<int64_t> &numbers() const override {
    return shared->options.numbers;
  }
  int threads() const override {
    return static_cast<int>(shared->options.shares.threads);
  }
  std::unique_ptr<Communicator> communicator(int64_t rank,
                                             Mover &mover) override {
    return shared->world->communicator(rank, mover);
  }
  Status start() override;
  Status run(const RankTask &task) override;
  bool isGivenUp(int64_t rank) const override {
    int64_t failed = shared->lowestFailed.load();
    return failed < rank ||
           (failed == Shared::nobody && !shared->world->failure().ok());
  }
  bool recover() override;
  void stop() override { workers.stop(); }

private:
  std::shared_ptr<Shared> shared;
  Workers workers;
};

} // namespace

Status ThreadRanks::start() {
  const ThreadRankOptions &options = shared->options;
  std::vector<std::vector<int>> pinned;
  if (options.pin)
    pinned = options.shares.pinned;
  Status status = workers.start(options.numbers, options.ranks, pinned);
  int64_t more = options.shares.threads - 1;
  if (status.ok() && more > 0)
    status = checkMoreThreads(int64_t(options.numbers.size()) * more);
  return status;
}

/// What the task says, or that it found no memory.
static RankOutcome withMemory(const RankTask &task, size_t local) {
  try {
    return task.run(local);
  } catch (const std::bad_alloc &) {
    return {Status::runtimeError(
        "no memory is left; raise its limit (ulimit -v, or the container's), "
        "or compile for more ranks")};
  }
}

bool Shared::runOne(size_t local, const RankTask &task) {
  RankOutcome outcome = withMemory(task, local);
  bool good = outcome.status.ok();
  if (!good && options.ranks > 1) {
    Status named = outcome.status;
    named.message = nameOf(local) + ": " + named.message;
    world->abort(options.numbers[local], named);
    int64_t rank = options.numbers[local], lowest = lowestFailed.load();
    while (rank < lowest && !lowestFailed.compare_exchange_weak(lowest, rank))
      ;
  }
  outcomes[local] = std::move(outcome);
  return good;
}

Status ThreadRanks::run(const RankTask &task) {
  Workers::Task perThread = [shared = shared, task](int64_t local) {
    return shared->runOne(size_t(local), task);
  };
  std::vector<bool> ended = workers.run(
      perThread, shared->options.deadlineSeconds, task.graceSeconds);
  shared->allEnded =
      std::find(ended.begin(), ended.end(), false) == ended.end();
  return shared->explain(task, ended);
}

bool ThreadRanks::recover() {
  if (!shared->allEnded || !shared->world->recover())
    return false;
  shared->lowestFailed = Shared::nobody;
  return true;
}

Status Shared::explain(const RankTask &task,
                       const std::vector<bool> &ended) const {
  Status result = world->failure();
  for (size_t i = 0; i < ended.size(); ++i) {
    if (!ended[i] || outcomes[i].status.ok() || outcomes[i].isOfCommunicator)
      continue;
    result = outcomes[i].status;
    if (options.ranks > 1)
      result.message = nameOf(i) + ": " + result.message;
    break;
  }
  // A collective of one rank has nobody else to blame.
  if (result.ok() && ended[0])
    result = outcomes[0].status;
  for (size_t i = 0; i < ended.size(); ++i) {
    if (ended[i])
      continue;
    if (result.ok())
      result = Status::runtimeError(nameOf(i) + " did not end its " +
                                    task.phase + " in time");
    result.message += "; " + nameOf(i) + " is in " + task.progress(i);
  }
  return result;
}

std::unique_ptr<LocalRanks> makeThreadRanks(const ThreadRankOptions &options,
                                            std::unique_ptr<World> world) {
  return std::make_unique<ThreadRanks>(options, std::move(world));
}

std::unique_ptr<World> threadWorld(const RankOptions &options, bool spins) {
  ThreadCommunicatorOptions communication;
  communication.deadlineSeconds = options.deadlineSeconds;
  communication.spin = spins;
  communication.delaySeed = options.delaySeed;
  return std::make_unique<ThreadWorld>(options.ranks, communication);
}

} // namespace hocket::runtime
