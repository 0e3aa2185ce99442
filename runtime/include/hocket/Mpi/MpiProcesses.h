//===- MpiProcesses.h - processes that MPI has started ---------*- C++ -*-===//

#ifndef HOCKET_MPI_MPIPROCESSES_H
#define HOCKET_MPI_MPIPROCESSES_H

#include "hocket/Runtime/Processes.h"
#include <limits>

namespace hocket::runtime {

/// Which threads may call the library.
enum class MpiCalls { OfFirstThread, OneAtATime, OfAllThreads };

struct MpiOptions {
  /// How long a process waits for the others.
  double deadlineSeconds = 60;
  /// What is asked of the library; less in tests.
  MpiCalls calls = MpiCalls::OfAllThreads;
  /// The most bytes that are one element of a message; smaller in tests.
  int64_t mostBytes = int64_t(1) << 30;
  /// The largest tag that is used, of those that the library has; smaller in
  /// tests.
  int mostTag = std::numeric_limits<int>::max();
};

/// What the environment says of this process: whether an MPI launcher, or
/// Slurm, has started it as one of several, and which of them.
struct MpiPlace {
  bool isStarted = false;
  int64_t index = 0, count = 1;
  std::string launcher;
};
MpiPlace placeInMpi();

/// What is wrong with so many processes for a program of `ranks`, or nothing.
std::string rankFault(const MpiPlace &place, int64_t ranks);

/// Loads the library, starts it and meets the other processes. One at a time;
/// it has to be ended by endMpi.
Status startMpi(const MpiOptions &options,
                std::unique_ptr<Processes> &processes);

/// What is to be said of how many threads so many ranks have, each as many as
/// the cores of its process allow; empty where no core is left to nobody.
std::string threadsNote(const Processes &processes, int64_t ranks);

/// Whether this process is to print an error: one of them, where all have it.
bool tellsErrors(const Processes &processes);

/// Ends a run whose exit status is `status`. Where a process has failed alone
/// it does not return, for the others cannot be waited for.
void endMpi(Processes &processes, int status);

} // namespace hocket::runtime

#endif // HOCKET_MPI_MPIPROCESSES_H
