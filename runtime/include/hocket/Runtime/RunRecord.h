//===- RunRecord.h - what the ranks of a process are doing -----*- C++ -*-===//
//
// A launcher that sees a process die ends the others within a fraction of a
// second and lets them say nothing. So each process keeps a file in memory, in
// which its ranks write where they are, and which stays behind when it ends in
// any way but its own.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_RUNRECORD_H
#define HOCKET_RUNTIME_RUNRECORD_H

#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Status.h"
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct pollfd;

namespace hocket::runtime {

/// Where a rank is. Written by its thread with one store an instruction.
struct RankPlace {
  std::atomic<int64_t> step{0};         // from 1; 0 while loading
  std::atomic<int64_t> instruction{-1}; // of the list of load or step
};

/// In a handler too: the signal by which this process was asked to end; 0 for
/// none.
void noteAskedToEnd(int signal);

/// Whose record it is.
struct RecordedProcess {
  int64_t index = 0, count = 1; // of the run's processes
  std::vector<int64_t> ranks;
  std::vector<std::pair<int64_t, std::string>> others; // and their addresses
};

/// A process's file. A thread waits there in the kernel for the end of others.
class RunRecord {
public:
  RunRecord() = default;
  /// Removes the file, unless the run has failed.
  ~RunRecord();
  RunRecord(const RunRecord &) = delete;
  RunRecord &operator=(const RunRecord &) = delete;

  /// Before `create`: where others of its machine may watch it. Empty if it has
  /// no such address.
  std::string address();
  /// It holds the names of all that ranks may be in, so that it can be read
  /// without the program.
  Status create(const std::string &folder, const RecordedProcess &own,
                const plan::Plan &plan);
  /// Null before `create`.
  RankPlace *placeOf(size_t local);
  /// The file stays and says why.
  void fail(const std::string &why);

  struct Content;

private:
  Status map(size_t size);
  void startWatching();
  void watch();
  void stopWatching();

  std::string path;
  int file = -1; // locked while the process lives
  Content *content = nullptr;
  pollfd *polled = nullptr; // in the file; the last is `wake`
  int64_t watchedCount = 0;
  int listening = -1; // closed by the kernel when the process ends
  int wake = -1;      // has the thread look at `ends`
  bool beats = false; // some process is watched by nobody
  std::thread watching;
  std::atomic<bool> ends{false};
  bool hasFailed = false;
};

/// What a file says of a run that has ended.
struct ReadRecord {
  std::string host, error;
  int64_t process = 0, pid = 0;
  /// Nanoseconds of its machine's clock; 0: never.
  int64_t lastBeat = 0, sawAt = 0;
  /// The processes whose end it would have seen, and those that it did see end.
  std::vector<int64_t> watched, ended;
  int signal = 0; // that asked it to end, or 0
  struct Rank {
    int64_t number, step, instruction;
    std::string place; // "in matmul of "h.0.mlp" (gpt2.hkt:3:4) of step 12"
  };
  std::vector<Rank> ranks;
};

/// The records that are in a folder.
struct ReadRecords {
  std::vector<ReadRecord> records;
  std::vector<std::string> unreadable; // a sentence for each that is
  std::string locked; // the first whose process still runs; then no others
};
ReadRecords readRecords(const std::string &folder);

/// How the last run that saved into a folder ended.
struct Postmortem {
  /// Which ranks failed and where, from the records that its processes left;
  /// then where the others were, a line for each. Or that a process still runs.
  /// Empty if there are none.
  std::string text;
  std::vector<std::string> unreadable;
};
Postmortem postmortem(const std::string &folder);
void removeRecords(const std::string &folder);

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_RUNRECORD_H
