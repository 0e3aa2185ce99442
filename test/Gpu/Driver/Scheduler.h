//===- Scheduler.h - which stream goes on next -----------------*- C++ -*-===//
//
// Nothing runs when it is issued. What is issued runs when the program waits
// for something, and then the stream whose first entry was issued last goes
// first, as far as waits allow: whoever has forgotten to wait for an event
// finds that the other stream has not even begun. With a seed the order is
// drawn instead, and operations also run at the time of other calls.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_DRIVER_SCHEDULER_H
#define HOCKET_TEST_GPU_DRIVER_SCHEDULER_H

#include "test/Gpu/Driver/Environment.h"
#include "test/Gpu/Driver/Stream.h"
#include <functional>
#include <random>

namespace hocket::lookalike {

class Scheduler {
public:
  Scheduler(Driver &driver, const Environment &environment)
      : driver(driver), seed(environment.seed),
        keepsThreadsApart(environment.keepsThreadsApart), random(seed) {}

  /// A lane that no operation has used.
  unsigned takeLane() {
    ticks.push_back(0);
    return ticks.size() - 1;
  }

  /// An operation, a node of the capture that the stream is part of. Others
  /// are put into its queue.
  void issue(CUstream_st &stream, std::shared_ptr<Operation> operation);
  void issue(CUstream_st &stream, Entry entry);

  /// Runs entries until the condition holds or the context has failed.
  void runUntil(const std::function<bool()> &isDone);
  /// Until nothing waits in any stream.
  void drain();
  /// One operation, if any can run; for calls that ask whether all is over.
  bool step();

  /// This thread has waited for all that comes before.
  void hostWaited(const Clock &clock);
  /// Any thread may have been told of it.
  void hostSaw(const Clock &clock);
  /// What any thread has waited for.
  const Clock &hostClock() const { return host; }
  /// A thread makes a call, perhaps its first one.
  void enter();

private:
  struct Candidate {
    CUstream_st *stream;
    size_t node; ///< of a graph
    uint64_t number;
  };
  std::vector<Candidate> candidates() const;
  void run(const Candidate &candidate);
  void runOperation(CUstream_st &stream, Entry &entry);
  void runNode(CUstream_st &stream, Entry &entry, size_t node);
  void execute(CUstream_st &stream, Operation &operation, unsigned lane,
               Clock &clock, const std::string &place);
  void finish(CUstream_st &stream);

  Driver &driver;
  const uint64_t seed;
  const bool keepsThreadsApart;
  std::mt19937_64 random;
  std::vector<uint64_t> ticks; ///< by lane
  Clock host;
  std::map<std::thread::id, Clock> threads; ///< where they are kept apart
  uint64_t issued = 0, waiting = 0;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_SCHEDULER_H
