//===- SeparateWorld.cpp - ranks that cannot communicate ------------------===//

#include "runtime/lib/Ranks/SeparateWorld.h"

namespace hocket::runtime {

namespace {

class SeparateRank : public Communicator {
public:
  SeparateRank(LaunchedProcesses &processes, int64_t rank, int64_t ranks)
      : processes(processes), self(rank), ranks(ranks) {}

  int64_t rank() const override { return self; }
  int64_t size() const override { return ranks; }
  Status prepare(const CollectiveSpec &, int64_t &) override {
    return Status::userError(
        "not supported yet: a collective between the processes of a program "
        "for GPUs; start it without a launcher and without --ranks-per-node, "
        "then all its ranks share one GPU");
  }
  Status run(int64_t) override { return nothing(); }
  Status start(int64_t) override { return nothing(); }
  Status wait(int64_t) override { return nothing(); }
  int64_t receivedBytes() const override { return 0; }
  const std::vector<WaitSpan> &lastWaits() const override { return waits; }
  const std::vector<int64_t> &receivedFrom(int64_t) const override {
    return from;
  }
  void abort(const Status &why) override { processes.fail(self, why); }

private:
  static Status nothing() {
    return Status::runtimeError("no collective was prepared");
  }

  LaunchedProcesses &processes;
  const int64_t self, ranks;
  const std::vector<WaitSpan> waits;
  const std::vector<int64_t> from;
};

class SeparateWorld : public World {
public:
  SeparateWorld(LaunchedProcesses &processes, int64_t ranks)
      : processes(processes), ranks(ranks) {}

  std::unique_ptr<Communicator> communicator(int64_t rank, Mover &) override {
    return std::make_unique<SeparateRank>(processes, rank, ranks);
  }
  void abort(int64_t rank, const Status &why) override {
    processes.fail(rank, why);
  }
  Status failure() const override {
    int64_t rank;
    return processes.failure(rank);
  }

private:
  LaunchedProcesses &processes;
  const int64_t ranks;
};

} // namespace

std::unique_ptr<World> separateWorld(LaunchedProcesses &processes,
                                     int64_t ranks) {
  return std::make_unique<SeparateWorld>(processes, ranks);
}

} // namespace hocket::runtime
