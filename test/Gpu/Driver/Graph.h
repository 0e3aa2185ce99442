//===- Graph.h - captured operations and a launch of them ------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_GRAPH_H
#define HOCKET_TEST_GPU_DRIVER_GRAPH_H

#include "runtime/lib/Cuda/Driver/Api.h"
#include "test/Gpu/Driver/Operation.h"
#include <thread>

namespace hocket::lookalike {

struct Mark;

struct CapturedNode {
  std::shared_ptr<Operation> operation;
  std::vector<size_t> after; ///< nodes that come before it
  unsigned branch = 0;       ///< the stream it was captured from, counted anew
  CUevent_st *records = nullptr; ///< by a node that is for nothing else
};

/// A capture in progress. Streams and events share it.
struct Capture {
  CUstream_st *origin = nullptr;
  int mode = 0;
  std::thread::id thread;
  bool isValid = true, isOver = false;
  std::vector<CapturedNode> nodes;
  std::vector<CUstream_st *> streams; ///< by branch

  /// Adds a node that comes after the stream's tails.
  void add(CUstream_st &stream, std::shared_ptr<Operation> operation);
  /// A stream that waits for an event of the capture.
  void join(CUstream_st &stream, const std::vector<size_t> &tails);
  /// Whether all nodes come before what the origin captures next.
  bool isJoined() const;
  /// The streams are as before.
  void end();
};

/// One launch that is not over: nodes run in any order that their edges allow.
class GraphRun {
public:
  GraphRun(unsigned number,
           std::shared_ptr<const std::vector<CapturedNode>> nodes,
           std::vector<unsigned> lanes);

  const std::vector<size_t> &ready() const { return readyNodes; }
  const CapturedNode &node(size_t i) const { return (*nodes)[i]; }
  unsigned lane(size_t i) const { return lanes[node(i).branch]; }
  bool isOver() const { return left == 0; }
  /// Tells all operations that they are put into a stream.
  void issued() const;
  /// What an event stands for once the node has run.
  void setMark(size_t i, std::shared_ptr<Mark> mark) {
    marks[i] = std::move(mark);
  }

  /// The clock of a node: that of the launch and of the nodes before it.
  Clock begin(size_t i, const Clock &launch);
  void finish(size_t i, const Clock &clock);

  const unsigned graph; ///< its number
  Clock end;            ///< of all nodes that are over

private:
  std::shared_ptr<const std::vector<CapturedNode>> nodes;
  std::vector<unsigned> lanes;   ///< by branch
  std::vector<unsigned> missing; ///< by node: those before it, not yet over
  std::vector<std::vector<size_t>> followers;
  std::vector<size_t> readyNodes;
  std::vector<Clock> clocks; ///< by node
  std::map<size_t, std::shared_ptr<Mark>> marks;
  size_t left;
};

} // namespace hocket::lookalike

struct CUgraph_st {
  unsigned number = 0;
  unsigned branches = 0;
  std::shared_ptr<const std::vector<hocket::lookalike::CapturedNode>> nodes;
};

struct CUgraphExec_st {
  unsigned number = 0;
  unsigned graph = 0; ///< the number of the graph
  CUctx_st *context = nullptr;
  std::shared_ptr<const std::vector<hocket::lookalike::CapturedNode>> nodes;
  std::vector<unsigned> lanes;
  std::shared_ptr<hocket::lookalike::Mark> last; ///< the end of the last launch
};

#endif // HOCKET_TEST_GPU_DRIVER_GRAPH_H
