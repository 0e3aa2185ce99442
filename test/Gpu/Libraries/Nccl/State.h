//===- State.h - all state of the look-alike of NCCL -----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_STATE_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_STATE_H

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Nccl/Communicator.h"
#include "test/Gpu/Libraries/Nccl/Settings.h"
#include "test/Gpu/Libraries/Nccl/Transport.h"
#include <condition_variable>
#include <mutex>

namespace hocket::lookalike {

/// The ranks that have come to an id, in the process that made it.
struct Gathering {
  int ranks = 0;
  std::map<int, Member> joined;
  std::string refused; ///< why, once it is
  bool isOver = false;
};

/// The lock is the innermost: who holds it calls no function of the driver.
struct Nccl {
  std::mutex mutex;
  std::condition_variable changed;
  const Settings settings = readSettings();
  std::map<uint64_t, Communicator> communicators; ///< by endpoint
  std::map<uint64_t, Gathering> gatherings;       ///< by number of the id
  /// By process, its device and ours.
  std::map<std::tuple<std::string, int, int>, Pairs> pairs;
  std::map<void *, size_t> allocations; ///< of ncclMemAlloc
  uint64_t endpoints = 0, ids = 0, registrations = 0;
  unsigned made = 0;    ///< communicators
  uint64_t issued = 0;  ///< calls put into streams
  uint64_t running = 0; ///< operations that have begun to run
  int openGroups = 0;   ///< of all threads
  std::string findings, lastError;
  int version = static_cast<int>(versionOf("NCCL", 22809));

  Transport &transport();
  /// The communicator of a handle; null if there is none.
  Communicator find(const ncclComm *handle) const;
  Communicator make(int device);
  /// A finding of a thread that must not tell it now; the transport's does.
  void tellLater(const std::string &sentence);
  /// Tells them, on the transport's thread and without the lock.
  void tellNow();
  /// At the end: all that was sent has left, and all that was found is told.
  void settle();
  /// What is left, one a line.
  std::string left() const;

private:
  std::vector<std::string> sentences;
  bool hasTransport = false, isTelling = false;
};

Nccl &nccl();

/// Something is there that another thread may wait for; without the lock.
void tellWaiting();

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_STATE_H
