//===- ThreadCommunicator.h - ranks as threads of one process --*- C++ -*-===//

#ifndef HOCKET_RUNTIME_THREADCOMMUNICATOR_H
#define HOCKET_RUNTIME_THREADCOMMUNICATOR_H

#include "hocket/Runtime/Communicator.h"

namespace hocket::runtime {

struct ThreadCommunicatorOptions {
  /// How long a rank waits for the others in one collective.
  double deadlineSeconds = 60;
  /// Spin shortly before sleeping; wrong when ranks outnumber cores.
  bool spin = true;
  /// Not 0: every member is delayed at random before and after each phase, to
  /// show that results do not depend on timing. For tests.
  uint64_t delaySeed = 0;
};

/// The memory of one process.
class ThreadWorld : public World {
public:
  ThreadWorld(int64_t ranks, const ThreadCommunicatorOptions &options);
  ~ThreadWorld() override;
  std::unique_ptr<Communicator> communicator(int64_t rank,
                                             Mover &mover) override;
  void abort(int64_t rank, const Status &why) override;
  Status failure() const override;
  bool recover() override;

  struct State;

private:
  std::shared_ptr<State> state;
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_THREADCOMMUNICATOR_H
