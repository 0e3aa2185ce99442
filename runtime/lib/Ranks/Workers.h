//===- Workers.h - one thread for each rank --------------------*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_WORKERS_H
#define HOCKET_LIB_RANKS_WORKERS_H

#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace hocket::runtime {

/// Threads that are made once and given one task after another.
class Workers {
public:
  Workers();
  ~Workers();

  /// Makes a thread for each of `ranks`, which are some of `count`. If `cores`
  /// is not empty, thread i keeps to cores[i]. The system may refuse: of a user
  /// and of a container threads are counted.
  Status start(const std::vector<int64_t> &ranks, int64_t count,
               const std::vector<std::vector<int>> &cores);

  /// What a task says about the rank of a thread: false = failed.
  using Task = std::function<bool(int64_t thread)>;

  /// Runs `task` on all threads. Once one has finished, the others have
  /// `patience` seconds more, or `grace` once one has failed. Returns by thread
  /// whether its task has ended; where one has not, no further run is
  /// possible, and the thread keeps what the task refers to alive.
  std::vector<bool> run(Task task, double patience, double grace);

  /// Ends all threads that are not stuck.
  void stop();

private:
  void makeThread(int64_t rank, const std::vector<int> &cores);

  struct Shared;
  std::shared_ptr<Shared> shared;
  std::vector<std::thread> threads;
};

/// Whether the system lets this process have `count` threads more, which OpenMP
/// would end the process for.
Status checkMoreThreads(int64_t count);

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_WORKERS_H
