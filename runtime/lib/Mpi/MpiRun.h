//===- MpiRun.h - this process among those that MPI started ----*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_MPIRUN_H
#define HOCKET_LIB_MPI_MPIRUN_H

#include "hocket/Mpi/MpiProcesses.h"
#include "hocket/Runtime/Communicator.h"
#include "runtime/lib/Communicator/Rendezvous.h"
#include "runtime/lib/Mpi/Library.h"
#include "runtime/lib/Ranks/Cores.h"
#include <atomic>
#include <deque>

namespace hocket::runtime {

/// What is sent or received once.
struct MpiTransfer {
  MpiRequest request = 0;
  bool isDone = false;
};

/// A process tells the others when it fails, and looks whether another has
/// while it waits: MPI itself goes on waiting.
class MpiRun : public Processes {
public:
  using Clock = Rendezvous::Clock;

  /// Meets the other processes.
  Status start(const MpiOptions &options);

  int64_t index() const override { return ownIndex; }
  int64_t count() const override { return processes; }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override;
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &options) override;

  /// Waits until `isDone`, a function that may fail, says so.
  template <typename Done>
  WaitResult wait(bool spins, Clock::time_point deadline, const Done &isDone);
  static Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(seconds));
  }

  /// The run has failed because of `rank`; the other processes are told.
  void fail(int64_t rank, const Status &why);
  bool hasFailed() const { return failed.load(); }
  /// A rank of this process, which another has waited for, says why.
  void answer(const Status &why);
  /// By word of another process.
  bool wasTold() const { return told.load(); }
  Status failure(int64_t &rank) const;

  /// What the threads of so many ranks are, where the launcher leaves cores of
  /// this machine to nobody; else empty.
  std::string threadsNote(int64_t ranks) const;

  /// A communicator in which messages are apart from all others.
  Status copyEverybody(MpiComm &made);
  double deadline() const { return options.deadlineSeconds; }
  int tagLimit() const { return largestTag; }

  MpiLibrary library;

private:
  enum Tag { Length = 1, Content = 2, Word = 3 };

  Status gatherCores();
  int64_t threadsOf(int64_t ranks) const;
  Status collect(const std::string &mine, std::vector<std::string> &all,
                 Clock::time_point deadline);
  Status handOut(std::string &bytes, Clock::time_point deadline);
  Status sendTo(int64_t to, const std::string &bytes, int64_t &length,
                std::deque<MpiTransfer> &transfers);
  Status finish(std::deque<MpiTransfer> &transfers, Clock::time_point deadline,
                const std::function<std::string()> &whoIsLate);
  Status receiveFrom(int64_t from, std::string &bytes,
                     Clock::time_point deadline);
  std::string nameOf(int64_t process) const;
  Status interrupted() const;
  /// Takes the word of another process that the run has failed, if it is there.
  void listen();

  MpiOptions options;
  int64_t ownIndex = 0, processes = 1;
  int largestTag = 32767;
  int64_t ranksEach = 1; // of the ranks that were made last
  MpiComm gathers = 0, words = 0;
  std::string launcher;
  Cores cores; // that are this process's alone
  /// Of this machine: its cores, those that its processes may use, and these.
  size_t coresHere = 0, usedHere = 0, processesHere = 0;
  int64_t leastCores = 1; // of any process
  std::atomic<bool> failed{false}, told{false};
  mutable std::mutex mutex; // guards what follows
  int64_t culprit = -1;
  Status reason;
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
