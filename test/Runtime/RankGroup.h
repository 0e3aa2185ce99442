//===- RankGroup.h - runs a function on communicating ranks ----*- C++ -*-===//
//
// The conformance suite knows communicators only through this: another
// transport passes the suite by adding a RankGroup.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RUNTIME_RANKGROUP_H
#define HOCKET_TEST_RUNTIME_RANKGROUP_H

#include "hocket/Runtime/ThreadCommunicator.h"
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace hocket::test {

class RankGroup {
public:
  virtual ~RankGroup() = default;
  /// Calls `body` once on each of `ranks` ranks, at the same time, and returns
  /// when all have ended.
  virtual void run(int64_t ranks,
                   const std::function<void(runtime::Communicator &)> &body,
                   const std::vector<std::vector<int64_t>> &groups = {}) = 0;
  /// Whether a rank may write what nobody else reads between start and wait;
  /// not where a test reads all of it at start.
  virtual bool takesLateWrites() const { return true; }
  /// After a run: what ranks have left in their own entries.
  virtual void share(std::vector<double> &byRank) {}
};

class ThreadRankGroup : public RankGroup {
public:
  explicit ThreadRankGroup(runtime::ThreadCommunicatorOptions options)
      : options(options) {}
  void run(int64_t ranks,
           const std::function<void(runtime::Communicator &)> &body,
           const std::vector<std::vector<int64_t>> & = {}) override {
    runtime::ThreadWorld world(ranks, options);
    std::vector<std::unique_ptr<runtime::Communicator>> ends;
    for (int64_t rank = 0; rank < ranks; ++rank)
      ends.push_back(world.communicator(rank, runtime::hostMover()));
    std::vector<std::thread> threads;
    for (int64_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { body(*ends[rank]); });
    for (std::thread &thread : threads)
      thread.join();
  }

private:
  runtime::ThreadCommunicatorOptions options;
};

/// A transport under test.
struct Transport {
  std::string name;
  std::function<std::unique_ptr<RankGroup>()> make;
  /// Sums are near those in member order, not equal to the bit.
  bool addsInOwnOrder = false;
};

/// Those of the program: ThreadTransports.cpp, or MpiTransports.cpp for one
/// that mpirun starts.
std::vector<Transport> transports();

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_RANKGROUP_H
