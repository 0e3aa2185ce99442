//===- Stream.h - streams, events and what waits in them -------*- C++ -*-===//
//
// The types of the driver's handles are defined here and in Graph.h and
// Library.h: a program only holds pointers to them.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_DRIVER_STREAM_H
#define HOCKET_TEST_GPU_DRIVER_STREAM_H

#include "test/Gpu/Driver/Graph.h"
#include "test/Gpu/Driver/Operation.h"
#include <chrono>
#include <deque>

namespace hocket::lookalike {

/// A point of a stream that an event stands for.
struct Mark {
  bool isPassed = false;
  Clock clock; ///< once it is passed
  std::chrono::steady_clock::time_point time;

  void pass(const Clock &reached) {
    isPassed = true;
    clock = reached;
    time = std::chrono::steady_clock::now();
  }
};

/// What waits in a stream: one of an operation, a graph, a wait and a mark. A
/// graph can have the other two besides.
struct Entry {
  uint64_t number = 0; ///< in the order in which all was issued
  Clock issued;        ///< what the host knew to be over
  std::shared_ptr<Mark> waits;
  std::shared_ptr<Operation> operation;
  std::unique_ptr<GraphRun> graph;
  std::shared_ptr<Mark> passes;
};

} // namespace hocket::lookalike

struct CUctx_st {
  int device = 0;
  unsigned retained = 0;
};

struct CUstream_st {
  unsigned number = 0;
  CUctx_st *context = nullptr;
  unsigned lane = 0;
  hocket::lookalike::Clock clock; ///< of what has run
  std::deque<hocket::lookalike::Entry> queue;
  bool isRunning = false; ///< its first entry, without the lock
  std::shared_ptr<hocket::lookalike::Capture> capture;
  std::vector<size_t> tails; ///< nodes that the next captured one comes after

  bool isIdle() const { return queue.empty() && !isRunning; }
};

struct CUevent_st {
  unsigned number = 0;
  CUctx_st *context = nullptr;
  bool hasTime = true;
  std::shared_ptr<hocket::lookalike::Mark> mark; ///< null: never recorded
  /// Where it was recorded during a capture.
  std::shared_ptr<hocket::lookalike::Capture> capture;
  std::vector<size_t> tails;
};

#endif // HOCKET_TEST_GPU_DRIVER_STREAM_H
