//===- Processes.h - the processes that run one program --------*- C++ -*-===//
//
// Ranks live in processes. LocalRanks are those of this one, and Processes is
// how the processes of a run come to the same decisions and gather what their
// ranks have. The executor and what uses it know no more of either; another
// way to run ranks is a folder of its own.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_PROCESSES_H
#define HOCKET_RUNTIME_PROCESSES_H

#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hocket::runtime {

/// What ranks are made from; equal on all processes except `threads`.
struct RankOptions {
  int64_t ranks = 1; // of all processes
  /// The groups that communicate: for each set of mesh axes a list of members
  /// for each group.
  std::vector<std::vector<std::vector<int64_t>>> groups;
  int64_t threads = 0; // of each rank; 0: as the cores allow
  bool pin = true;
  double deadlineSeconds = 60;
  uint64_t delaySeed = 0;
  /// Sums of collectives in the order of a library that has one, not of the
  /// members.
  bool sumsAsLibrary = false;
};

/// How a rank's part of a task ended.
struct RankOutcome {
  Status status;
  /// The communicator failed, perhaps because of another rank.
  bool isOfCommunicator = false;
};

/// A task of all ranks of this process. Both are called with an index into
/// LocalRanks::numbers.
struct RankTask {
  const char *phase; // "step"
  std::function<RankOutcome(size_t)> run;
  /// "matmul of "h.0.mlp"": what the rank does now; any thread.
  std::function<std::string(size_t)> progress;
  /// Once one has failed, those that wait for it are told; this is for whatever
  /// call the others are in.
  double graceSeconds = 2;
};

/// The ranks that live in this process.
class LocalRanks {
public:
  virtual ~LocalRanks() = default;
  virtual const std::vector<int64_t> &numbers() const = 0;
  /// That each rank computes with.
  virtual int threads() const = 0;
  virtual std::unique_ptr<Communicator> communicator(int64_t rank,
                                                     Mover &mover) = 0;
  /// Makes them ready for tasks.
  virtual Status start() = 0;
  /// Runs it on all of them and returns the error that explains the others: a
  /// rank's own mistake, of several that of the lowest. Where a rank does not
  /// come back, no further task is possible, and what the task refers to has to
  /// live on.
  virtual Status run(const RankTask &task) = 0;
  /// Whether nobody waits for the end of the task on `rank` any more: a lower
  /// rank of this process has failed in it, or another process has.
  virtual bool isGivenUp(int64_t rank) const = 0;
  /// After a task that failed: whether all ranks have ended it and are ready
  /// for the next one, as if none had failed.
  virtual bool recover() { return false; }
  /// No task comes any more.
  virtual void stop() = 0;
};

/// The processes of a run. All call these methods in the same order, from one
/// thread each.
class Processes {
public:
  virtual ~Processes() = default;
  virtual int64_t index() const = 0;
  virtual int64_t count() const = 0;
  /// It writes what is one for all: names of files, lines of text.
  bool isFirst() const { return index() == 0; }

  /// What each process gives, by process.
  virtual Status gather(const std::string &mine,
                        std::vector<std::string> &all) = 0;
  /// They communicate in `world`, which is of these processes; where it is
  /// null, as the processes themselves do.
  virtual std::unique_ptr<LocalRanks>
  makeRanks(const RankOptions &options, std::unique_ptr<World> world) = 0;

  /// The error of the lowest process that has one, on all of them.
  Status agree(const Status &mine);
  /// An error that names the first of `facts`, a name and a value each, that
  /// a process has other than the first.
  Status
  requireEqual(const std::vector<std::pair<std::string, std::string>> &facts);
  /// What the first process gives, on all of them.
  Status tell(std::string &text);
};

/// The program runs in this process alone, its ranks are threads.
Processes &oneProcess();

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_PROCESSES_H
