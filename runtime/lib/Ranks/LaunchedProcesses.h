//===- LaunchedProcesses.h - processes that were started together -*- C++ -*-=//

#ifndef HOCKET_LIB_RANKS_LAUNCHEDPROCESSES_H
#define HOCKET_LIB_RANKS_LAUNCHEDPROCESSES_H

#include "hocket/Runtime/Processes.h"

namespace hocket::runtime {

/// Several processes that run one program. One that fails tells the others,
/// which look for its word while they wait.
class LaunchedProcesses : public Processes {
public:
  /// The run has failed because of `rank`; the other processes are told. Any
  /// thread; only the first call counts.
  virtual void fail(int64_t rank, const Status &why) = 0;
  /// By this process or by word of another one.
  virtual bool hasFailed() const = 0;
  /// A rank of this process, which another has waited for, says why.
  virtual void answer(const Status &why) = 0;
  /// It is another process that has failed, and this one has not answered.
  virtual bool wasTold() const = 0;
  /// Why, and because of which rank.
  virtual Status failure(int64_t &rank) const = 0;
  /// Takes the word of another process that the run has failed, if it is there.
  virtual void listen() = 0;
  /// Of this process among those of its machine, and how many these are.
  virtual int64_t localIndex() const = 0;
  virtual int64_t localCount() const = 0;
  virtual double deadline() const = 0;
  /// What the threads of so many ranks are, where the launcher leaves cores of
  /// this machine to nobody; else empty.
  virtual std::string threadsNote(int64_t ranks) const = 0;
  /// Ends a run whose exit status is `status`. Where a process has failed alone
  /// it does not return, for the others cannot be waited for.
  virtual void end(int status) = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_LAUNCHEDPROCESSES_H
