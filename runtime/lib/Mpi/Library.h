//===- Library.h - the MPI library of this process -------------*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_LIBRARY_H
#define HOCKET_LIB_MPI_LIBRARY_H

#include "hocket/Io/MemoryLibrary.h"
#include "runtime/lib/Mpi/Shim/Functions.h"
#include "runtime/lib/Mpi/Shims.h"
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace hocket::runtime {

/// Who started this process together with others, by its environment.
struct Launched {
  enum class By { Nobody, OpenMpi, Mpich, Unknown } by = By::Nobody;
  int64_t index = 0; // of this process, as the launcher says
  int64_t count = 1;
  std::string name; // "mpirun (Open MPI)"
};

/// `value` gives variables of the environment, or null.
Launched launchedBy(const std::function<const char *(const char *name)> &value);

/// What the program carries for the launcher's library; empty if nothing.
ShimBytes shimOf(const Launched &launched);

/// Its calls, one at a time where the library cannot take several at once.
class MpiLibrary {
public:
  /// Loads the shim, which the program carries for the launcher's library, and
  /// starts MPI.
  Status load(const Launched &launched, MpiThreads wanted, ShimBytes bytes);

  /// Returns what `call` does, with the functions as its argument.
  template <typename Call> int call(const Call &call) {
    if (threads == MpiThreads::Multiple)
      return call(*functions);
    std::lock_guard<std::mutex> lock(mutex);
    return call(*functions);
  }
  /// The error of a call that returned `code`.
  Status failure(const char *what, int code);

  MpiThreads threads = MpiThreads::Single; // what the library can do
  /// The most bytes that are one element of a message; smaller in tests.
  int64_t mostBytes = int64_t(1) << 30;
  std::string version;

private:
  MemoryLibrary shim;
  const MpiFunctions *functions = nullptr;
  std::mutex mutex;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_MPI_LIBRARY_H
