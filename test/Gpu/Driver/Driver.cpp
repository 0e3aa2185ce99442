//===- Driver.cpp - the state of the look-alike ---------------------------===//

#include "test/Gpu/Driver/Driver.h"

using namespace hocket::lookalike;

thread_local CUctx_st *hocket::lookalike::currentContext = nullptr;
thread_local bool hocket::lookalike::isInHostCall = false;

Driver::Driver()
    : environment(readEnvironment()), findings(environment.report),
      allocations(environment.memory), scheduler(*this, environment) {
  for (size_t device = 0; device < environment.devices.size(); ++device)
    contexts.push_back({static_cast<int>(device), 0});
}

/// Never destroyed: threads may be in a call when the process ends.
static Driver *&theDriver() {
  static Driver *driver = new Driver;
  return driver;
}

Driver &Driver::get() { return *theDriver(); }

Lock &hocket::lookalike::lock() {
  static Lock *lock = new Lock;
  return *lock;
}

void Driver::fail(const std::string &sentence) {
  find(sentence);
  failWith(cuda::LaunchFailed);
}

void Driver::outside(const std::function<void()> &run) {
  lock().mutex.unlock();
  isInHostCall = true;
  run();
  isInHostCall = false;
  lock().mutex.lock();
}

CUctx_st &Driver::context() {
  for (CUctx_st &context : contexts)
    if (&context == currentContext && context.retained)
      return context;
  throw Failure{cuda::InvalidContext};
}

template <typename Objects>
void Driver::findLeft(const Objects &objects, const char *kind) {
  for (const auto &object : objects)
    find(std::string(kind) + " " + std::to_string(object->number) +
         " is not released when the process ends");
}

/// After an error that destroys the context nothing can be released.
void Driver::finish() {
  if (!stickyError) {
    for (const Block *block : allocations.left())
      find("'" + block->allocation->name + "' of " +
           std::to_string(block->size()) +
           " bytes is not released when the process ends");
    findLeft(streams, "stream");
    findLeft(events, "event");
    findLeft(libraries, "library");
    findLeft(graphs, "graph");
    findLeft(executables, "executable graph");
    for (const CUctx_st &context : contexts)
      if (context.retained)
        find("the primary context of device " + std::to_string(context.device) +
             " is retained " + std::to_string(context.retained) +
             " times more than released when the process ends");
  }
  if (!environment.counts.empty())
    counts.write(environment.counts, allocations.peak());
}

void hocket::lookalike::restart() {
  Driver *old = theDriver();
  old->finish();
  theDriver() = new Driver;
  delete old;
  currentContext = nullptr;
}

namespace {

/// Runs when the process ends or the library is unloaded.
[[gnu::destructor]] void finishProcess() {
  std::unique_lock held(lock().mutex, std::try_to_lock);
  if (!held.owns_lock())
    Driver::get().find("a thread is in a call of the driver when the process "
                       "ends");
  else if (Driver::get().isInitialized)
    Driver::get().finish();
}

} // namespace
