//===- Driver.h - the state of the look-alike ------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_DRIVER_H
#define HOCKET_TEST_GPU_DRIVER_DRIVER_H

#include "runtime/lib/Cuda/Driver/Api.h"
#include "test/Gpu/Driver/Counts.h"
#include "test/Gpu/Driver/Environment.h"
#include "test/Gpu/Driver/Findings.h"
#include "test/Gpu/Driver/Library.h"
#include "test/Gpu/Driver/Scheduler.h"
#include "test/Gpu/Driver/Stream.h"
#include <condition_variable>
#include <functional>
#include <mutex>

namespace hocket::lookalike {

namespace cuda = runtime::cuda;

/// Thrown by a call that ends with a code other than 0.
struct Failure {
  cuda::Result code;
};

/// Objects of one kind that a program has made and not released, and their
/// numbers, which findings name.
template <typename Object> class Table {
public:
  Object *make() {
    objects.push_back(std::make_unique<Object>());
    objects.back()->number = ++made;
    return objects.back().get();
  }
  bool has(const Object *object) const {
    return std::any_of(objects.begin(), objects.end(),
                       [&](const auto &one) { return one.get() == object; });
  }
  /// Takes it out; it lives as long as the result.
  std::unique_ptr<Object> take(const Object *object) {
    auto at =
        std::find_if(objects.begin(), objects.end(),
                     [&](const auto &one) { return one.get() == object; });
    std::unique_ptr<Object> taken = std::move(*at);
    objects.erase(at);
    return taken;
  }
  auto begin() const { return objects.begin(); }
  auto end() const { return objects.end(); }

private:
  std::vector<std::unique_ptr<Object>> objects;
  unsigned made = 0;
};

/// All functions but `get` and `outside` are called with the lock held.
class Driver {
public:
  Driver();

  /// The only one, as it is now.
  static Driver &get();

  /// A finding about a call that the program should not have made.
  void find(const std::string &sentence) { findings.add(sentence); }
  /// A finding about what a device does: from now on calls fail, as they do
  /// after an error that destroys a context.
  void fail(const std::string &sentence);
  void failWith(cuda::Result code) {
    stickyError = stickyError ? stickyError : code;
  }

  /// Runs something that must not hold the lock.
  void outside(const std::function<void()> &run);

  /// The current context; throws Failure where a thread has none.
  CUctx_st &context();

  /// What is left at the end of the process, as findings, and the counts.
  void finish();

  const Environment environment;
  Findings findings;
  Counts counts;
  Allocations allocations;
  Scheduler scheduler;
  std::deque<CUctx_st> contexts; ///< by device
  Table<CUstream_st> streams;
  Table<CUevent_st> events;
  Table<CUlib_st> libraries;
  Table<CUgraph_st> graphs;
  Table<CUgraphExec_st> executables;
  bool isInitialized = false;
  cuda::Result stickyError = 0;

private:
  template <typename Objects>
  void findLeft(const Objects &objects, const char *kind);
};

/// The lock of all calls, and what tells waiting threads of a change.
struct Lock {
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
  std::mutex mutex;
  std::condition_variable_any changed;
};
Lock &lock();

/// The context of this thread; it may belong to a driver that is gone.
extern thread_local CUctx_st *currentContext;
/// Whether this thread runs a function of the host.
extern thread_local bool isInHostCall;

/// Begins anew with the environment as it is now, after what is done at the
/// end of a process.
void restart();

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_DRIVER_H
