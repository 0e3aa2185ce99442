//===- LaunchedRun.h - what runs of several processes share ----*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_LAUNCHEDRUN_H
#define HOCKET_LIB_RANKS_LAUNCHEDRUN_H

#include "runtime/lib/Communicator/Rendezvous.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include "runtime/lib/Ranks/SharedCores.h"
#include <atomic>
#include <mutex>

namespace hocket::runtime {

/// Processes that meet by way of process 0, which each of the others can send
/// bytes to and receive some from. How these go is another class's.
class LaunchedRun : public LaunchedProcesses {
public:
  using Clock = Rendezvous::Clock;
  static Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(seconds));
  }

  int64_t index() const override { return ownIndex; }
  int64_t count() const override { return processes; }
  Status gather(const std::string &mine,
                std::vector<std::string> &all) override;
  std::unique_ptr<LocalRanks> makeRanks(const RankOptions &options,
                                        std::unique_ptr<World> world) override;

  void fail(int64_t rank, const Status &why) override;
  bool hasFailed() const override { return failed.load(); }
  void answer(const Status &why) override;
  bool wasTold() const override { return told.load(); }
  Status failure(int64_t &rank) const override;

  int64_t localIndex() const override { return cores.indexHere(); }
  int64_t localCount() const override { return cores.countHere(); }
  double deadline() const override { return deadlineSeconds; }

protected:
  /// Returns once others may forget about `bytes`, which go to each of `to`.
  virtual Status send(const std::vector<int64_t> &to, const std::string &bytes,
                      Clock::time_point deadline) = 0;
  /// What `from` has sent next.
  virtual Status receive(int64_t from, std::string &bytes,
                         Clock::time_point deadline) = 0;
  /// Sends the word that the run has failed to all others that take it soon.
  /// Returns the word that counts, for another process may have been first. By
  /// one thread at a time; `hasFailed` says so only afterwards.
  virtual std::string spread(const std::string &word) = 0;
  /// The run has failed: wakes those that wait for something else.
  virtual void wakeWaiting() {}
  /// What ranks communicate in where nobody else has a world for them.
  virtual std::unique_ptr<World> makeWorld(const RankOptions &options,
                                           bool spins) = 0;

  /// A process's word that the run has failed; the first counts. The caller
  /// holds `mutex`.
  void takeWord(const std::string &word);
  /// What `teller` says of a failure because of `rank`.
  static std::string packWord(int64_t teller, int64_t rank, const Status &why);
  /// The error of a process that waited in vain for `late`, of which the others
  /// are told.
  Status tellLate(const std::string &late);
  std::string nameOf(int64_t process) const;
  int64_t firstRankOf(int64_t process) const { return process * ranksEach; }
  Status interrupted() const;

  // Set by whoever starts the run.
  int64_t ownIndex = 0, processes = 1;
  double deadlineSeconds = 60;
  SharedCores cores;
  mutable std::mutex mutex; // guards what a failure is

private:
  Status handOut(std::vector<std::string> &all, Clock::time_point deadline);

  int64_t ranksEach = 1; // of the ranks that were made last
  std::atomic<bool> failed{false}, told{false};
  int64_t culprit = -1;
  Status reason;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_LAUNCHEDRUN_H
