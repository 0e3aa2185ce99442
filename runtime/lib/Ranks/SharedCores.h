//===- SharedCores.h - cores that processes of a run share -----*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_SHAREDCORES_H
#define HOCKET_LIB_RANKS_SHAREDCORES_H

#include "hocket/Runtime/Processes.h"
#include "runtime/lib/Ranks/Cores.h"

namespace hocket::runtime {

/// Which cores a process has to itself, of those that the processes of its
/// machine may use.
class SharedCores {
public:
  /// Of all processes, which all call it.
  Status gather(Processes &processes);

  /// Of this process among those of its machine, and how many these are.
  int64_t indexHere() const { return index; }
  int64_t countHere() const { return int64_t(processesHere); }

  /// `threads` of each of the `ranks` of this process, or 0 for as many as
  /// every process has cores for.
  CoreShares share(int64_t ranks, int64_t threads) const;
  /// See LaunchedProcesses::threadsNote; `ranksHere` are those of this process.
  std::string note(int64_t ranks, int64_t ranksHere,
                   const std::string &launcher) const;

private:
  Status gatherLeast(Processes &processes, bool isCrowded);
  int64_t threadsOf(int64_t ranks) const;

  Cores own{{}, 1}; // that are this process's alone
  /// Of this machine: its cores, those that its processes may use, and these.
  size_t coresHere = 0, usedHere = 0, processesHere = 1;
  int64_t index = 0;
  int64_t leastCores = 1; // of any process
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_SHAREDCORES_H
