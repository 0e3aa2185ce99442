//===- Operation.h - what streams and graphs run ---------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_OPERATION_H
#define HOCKET_TEST_GPU_DRIVER_OPERATION_H

#include "test/Gpu/Driver/Allocations.h"

namespace hocket::lookalike {

class Driver;
class Execution;

/// A copy, a kernel, ...: a node of a graph is run once a launch.
class Operation {
public:
  Operation(std::string kind, std::string name, uint64_t bytes = 0)
      : kind(std::move(kind)), name(std::move(name)), bytes(bytes) {}
  virtual ~Operation() = default;

  /// It is put into a stream, by itself or in a graph.
  virtual void issued() {}
  /// False while it waits for something outside its stream, such as a peer.
  virtual bool isReady() { return true; }
  virtual void run(Execution &execution) = 0;

  const std::string kind; ///< "kernel", for the counts
  const std::string name; ///< "kernel 'scale'", for findings
  const uint64_t bytes;   ///< copied or set
};

/// One run of an operation.
class Execution {
public:
  /// The actor has the name and place of the operation; the clock includes it.
  Execution(Driver &driver, int device, Actor actor, const Clock &clock)
      : driver(driver), device(device), actor(std::move(actor)), clock(clock) {}

  /// A span at addresses of a device that this device reaches; else there is a
  /// finding and no block.
  Span span(uint64_t address, uint64_t bytes, const char *verb);

  /// Tells of races with earlier operations, and is remembered.
  void reads(Block &block, uint64_t begin, uint64_t end);
  void writes(Block &block, uint64_t begin, uint64_t end);

  /// A finding: the operation's title, and what it does. It makes the context
  /// fail.
  void find(const std::string &what);
  /// A whole sentence, to which the title is added.
  void findSentence(const std::string &sentence);
  const std::string &title() const { return *actor.name; }
  const Clock &before() const { return clock; }

  Driver &driver;
  const int device;

private:
  void tell(const Block &block, const std::optional<Conflict> &conflict,
            bool writes);

  Actor actor;
  const Clock &clock;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_OPERATION_H
