//===- Call.h - what every function begins with ----------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_CALL_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_CALL_H

#include "test/Gpu/Libraries/Nccl/State.h"

namespace hocket::lookalike {

/// One call of a function. What it finds is told when it ends, without the
/// lock.
class Call {
public:
  /// Counts the call, which may be made to fail, and takes the lock.
  explicit Call(const char *function);
  ~Call();

  /// Tells of misuse; returns the code.
  NcclResult find(const std::string &sentence,
                  NcclResult code = NcclInvalidArgument);
  /// A failure that is nobody's mistake.
  NcclResult refuse(const std::string &reason, NcclResult code);
  /// Finds that a place for a result is null.
  bool has(const void *place, const char *name);

  /// The communicator of a handle, or null after a finding.
  Communicator known(NcclComm handle);
  /// The same, and it can be used now; else null, and `code` says why.
  Communicator use(NcclComm handle);

  /// Ends a call that goes on when other ranks come: waits on a communicator
  /// that blocks; on others most are in progress for some polls.
  NcclResult complete(const Communicator &comm,
                      std::shared_ptr<Pending> pending);
  /// Waits, while the device goes on; why it ends otherwise.
  NcclResult waitFor(const ncclComm &comm, const Pending &pending);
  /// Does something without the lock.
  template <typename Body> auto unlocked(Body body) {
    lock.unlock();
    auto result = body();
    lock.lock();
    return result;
  }

  const char *const function;
  NcclResult code = NcclSuccess;
  const int device; ///< of the current context

private:
  std::unique_lock<std::mutex> lock;
  std::vector<std::string> sentences;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_CALL_H
