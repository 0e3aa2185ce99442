//===- Lookalike.cpp - what other look-alikes ask of the driver's ---------===//

#include "test/Gpu/Driver/Lookalike.h"
#include "test/Gpu/Driver/Calls.h"

using namespace hocket::lookalike;

namespace {

using Ranges = std::vector<HocketLookalikeRange>;

/// An operation of another look-alike.
class Foreign : public Operation {
public:
  explicit Foreign(const HocketLookalikeOperation &from)
      : Operation(from.name, from.name), callbacks(from),
        reads(from.reads, from.reads + from.readCount),
        writes(from.writes, from.writes + from.writeCount) {}
  ~Foreign() override {
    if (callbacks.release)
      callbacks.release(callbacks.data);
  }

  void issued() override {
    if (callbacks.issued)
      callbacks.issued(callbacks.data);
  }
  bool isReady() override {
    return !callbacks.isReady || callbacks.isReady(callbacks.data);
  }
  void run(Execution &execution) override;

  const HocketLookalikeOperation callbacks;
  const Ranges reads, writes;
};

/// What the callbacks of a running operation know.
struct Running {
  const Foreign &operation;
  Execution &execution;
};

/// Bytes that the operation has said it touches, or none after a finding.
Span declared(Running &running, const Ranges &ranges,
              unsigned long long address, unsigned long long bytes,
              const char *verb) {
  bool isDeclared = std::any_of(
      ranges.begin(), ranges.end(), [&](const HocketLookalikeRange &range) {
        return address >= range.address &&
               address + bytes <= range.address + range.bytes;
      });
  if (isDeclared)
    return running.execution.span(address, bytes, verb);
  running.execution.find(std::string(verb) + " " + std::to_string(bytes) +
                         " bytes that it has not named");
  return {};
}

const void *readBytes(void *handle, unsigned long long address,
                      unsigned long long bytes) {
  auto &running = *static_cast<Running *>(handle);
  Span span =
      declared(running, running.operation.reads, address, bytes, "reads");
  if (!span.block)
    return nullptr;
  if (span.block->allocation->region.isDefined(span.at, bytes))
    return span.data();
  running.execution.find("reads " + std::to_string(bytes) + " bytes at '" +
                         span.block->allocation->name + "' + " +
                         std::to_string(span.at) +
                         ", where some have no value");
  return nullptr;
}

void *writeBytes(void *handle, unsigned long long address,
                 unsigned long long bytes) {
  auto &running = *static_cast<Running *>(handle);
  Span span =
      declared(running, running.operation.writes, address, bytes, "writes");
  if (!span.block)
    return nullptr;
  span.block->allocation->region.define(span.at, bytes);
  return span.data();
}

void forgetBytes(void *handle, unsigned long long address,
                 unsigned long long bytes) {
  auto &running = *static_cast<Running *>(handle);
  Span span =
      declared(running, running.operation.writes, address, bytes, "forgets");
  if (span.block)
    span.block->allocation->region.define(span.at, bytes, false);
}

void findHere(void *handle, const char *what) {
  static_cast<Running *>(handle)->execution.find(what);
}

void Foreign::run(Execution &execution) {
  for (bool isWrite : {false, true})
    for (const HocketLookalikeRange &range : isWrite ? writes : reads) {
      Span span = execution.span(range.address, range.bytes,
                                 isWrite ? "writes" : "reads");
      if (!span.block)
        return;
      if (isWrite)
        execution.writes(*span.block, span.at, span.at + span.bytes);
      else
        execution.reads(*span.block, span.at, span.at + span.bytes);
    }
  Running running{*this, execution};
  HocketLookalikeMemory memory{&running, readBytes, writeBytes, forgetBytes,
                               findHere};
  callbacks.run(callbacks.data, &memory);
}

} // namespace

int hocketLookalikeEnqueue(const char *function, CUstream_st *stream,
                           const HocketLookalikeOperation *operation) {
  auto foreign = std::make_shared<Foreign>(*operation);
  std::lock_guard held(lock());
  Call call(Driver::get(), function);
  try {
    bool isHere = !operation->isOfAnyContext;
    call.check(isHere ? Needs::Context : Needs::Initialized);
    call.driver.scheduler.issue(isHere ? call.streamHere(stream)
                                       : call.validStream(stream),
                                std::move(foreign));
    return call.driver.stickyError;
  } catch (const Failure &failure) {
    return failure.code;
  }
}

int hocketLookalikeCall(const char *function) {
  return call(function, Needs::Nothing, [](Call &) {});
}

void hocketLookalikeFind(const char *sentence) {
  std::lock_guard held(lock());
  Driver::get().find(sentence);
}

int hocketLookalikeDevice() {
  std::lock_guard held(lock());
  try {
    return Driver::get().context().device;
  } catch (const Failure &) {
    return -1;
  }
}

int hocketLookalikeIsCapturing(CUstream_st *stream) {
  std::lock_guard held(lock());
  return Driver::get().streams.has(stream) && stream->capture;
}

void hocketLookalikeWake() { lock().changed.notify_all(); }

int hocketLookalikeStep() {
  std::lock_guard held(lock());
  if (Driver::get().stickyError)
    return -1;
  return Driver::get().scheduler.step();
}

/// Also asked at the end of the process, when a thread may hold the lock.
int hocketLookalikeHasFailed() {
  std::unique_lock held(lock().mutex, std::try_to_lock);
  return held.owns_lock() && Driver::get().stickyError;
}

int hocketLookalikeIsAllocated(unsigned long long address,
                               unsigned long long bytes) {
  std::lock_guard held(lock());
  return Driver::get().allocations.span(address, bytes, "reads").block !=
         nullptr;
}

unsigned long long hocketLookalikeKeep(int device, const char *name) {
  std::lock_guard held(lock());
  return Driver::get().allocations.keep(device, name);
}

/// The function, if it is one of a library that is loaded.
static CUfunc_st *known(CUfunc_st *function) {
  for (const auto &library : Driver::get().libraries)
    for (const auto &[name, kernel] : library->kernels)
      for (const auto &[context, made] : kernel->functions)
        if (made.get() == function)
          return function;
  return nullptr;
}

size_t hocketLookalikeParameters(CUfunc_st *function, size_t *bytes,
                                 size_t most) {
  std::lock_guard held(lock());
  if (!known(function))
    return 0;
  const auto &parameters = function->instance->code->function->parameters;
  for (size_t i = 0; i < std::min(most, parameters.size()); ++i)
    bytes[i] = hocket::ptx::bytesOf(parameters[i].type) * parameters[i].count;
  return parameters.size();
}

void hocketLookalikeRestart() {
  std::lock_guard held(lock());
  restart();
}
