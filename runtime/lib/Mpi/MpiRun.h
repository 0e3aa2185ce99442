//===- MpiRun.h - this process among those that MPI started ----*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_MPIRUN_H
#define HOCKET_LIB_MPI_MPIRUN_H

#include "hocket/Mpi/MpiProcesses.h"
#include "runtime/lib/Mpi/Library.h"
#include "runtime/lib/Ranks/LaunchedRun.h"
#include <deque>

namespace hocket::runtime {

/// What is sent or received once.
struct MpiTransfer {
  MpiRequest request = 0;
  bool isDone = false;
};

/// A process looks whether another has failed while it waits: MPI itself goes
/// on waiting.
class MpiRun : public LaunchedRun {
public:
  /// Meets the other processes.
  Status start(const MpiOptions &options);

  /// Waits until `isDone`, a function that may fail, says so.
  template <typename Done>
  WaitResult wait(bool spins, Clock::time_point deadline, const Done &isDone);

  void listen() override;
  std::string threadsNote(int64_t ranks) const override;
  void end(int status) override;

  /// A communicator in which messages are apart from all others.
  Status copyEverybody(MpiComm &made);
  int tagLimit() const { return largestTag; }

  MpiLibrary library;

protected:
  Status send(const std::vector<int64_t> &to, const std::string &bytes,
              Clock::time_point deadline) override;
  Status receive(int64_t from, std::string &bytes,
                 Clock::time_point deadline) override;
  std::string spread(const std::string &word) override;
  std::unique_ptr<World> makeWorld(const RankOptions &options,
                                   bool spins) override;

private:
  enum Tag { Length = 1, Content = 2, Word = 3 };

  Status finish(std::deque<MpiTransfer> &transfers, Clock::time_point deadline,
                const std::function<std::string()> &whoIsLate);

  MpiOptions options;
  int largestTag = 32767;
  MpiComm gathers = 0, words = 0;
  std::string launcher;
  std::string lastWord; // that is sent; lives until the program ends
};

template <typename Done>
WaitResult MpiRun::wait(bool spins, Clock::time_point deadline,
                        const Done &isDone) {
  // As a Rendezvous waits: MPI has no way to sleep until a message comes.
  constexpr auto patience = std::chrono::microseconds(500);
  constexpr auto nap = std::chrono::microseconds(50);
  auto begin = Clock::now();
  for (int i = 1;; ++i) {
    if (isDone())
      return WaitResult::Arrived;
    if (hasFailed())
      return WaitResult::Aborted;
    if (!spins)
      sched_yield();
    if (i % 16 != 0)
      continue;
    auto now = Clock::now();
    if (now - begin < patience)
      continue;
    listen();
    if (now >= deadline)
      return hasFailed() ? WaitResult::Aborted : WaitResult::TimedOut;
    timespec pause = {0, std::chrono::nanoseconds(nap).count()};
    nanosleep(&pause, nullptr);
  }
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_MPI_MPIRUN_H
