//===- MpiProcesses.h - processes that MPI has started ---------*- C++ -*-===//

#ifndef HOCKET_MPI_MPIPROCESSES_H
#define HOCKET_MPI_MPIPROCESSES_H

#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

namespace hocket::runtime {

class LaunchedProcesses;

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
  /// An MPI library can tell it of the others.
  bool knowsOthers = false;
  int64_t index = 0, count = 1;
  std::string launcher;
};
/// `variables` gives those of the environment, or null.
MpiPlace
placeInMpi(const std::function<const char *(const char *name)> &variables);

/// Loads the library, starts it and meets the other processes. One at a time;
/// it has to be ended.
Status startMpi(const MpiOptions &options,
                std::unique_ptr<LaunchedProcesses> &processes);

} // namespace hocket::runtime

#endif // HOCKET_MPI_MPIPROCESSES_H
