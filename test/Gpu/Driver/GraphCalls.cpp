//===- GraphCalls.cpp - captures, graphs and their launches ---------------===//

#include "test/Gpu/Driver/Calls.h"

using namespace hocket::lookalike;

namespace hocket::runtime::cuda {

Result cuStreamBeginCapture_v2(Stream given, CaptureMode mode) {
  return call("cuStreamBeginCapture_v2", Needs::Context, [&](Call &call) {
    CUstream_st &stream = call.streamHere(given);
    call.require(mode >= CaptureGlobal && mode <= CaptureRelaxed, InvalidValue,
                 "is given a mode that does not exist");
    if (stream.capture)
      throw Failure{IllegalState};
    auto capture = std::make_shared<Capture>();
    capture->origin = &stream;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->join(stream, {});
    stream.capture = std::move(capture);
  });
}

Result cuStreamEndCapture(Stream given, Graph *graph) {
  return call("cuStreamEndCapture", Needs::Context, [&](Call &call) {
    CUstream_st &stream = call.stream(given);
    *graph = nullptr;
    std::shared_ptr<Capture> capture = stream.capture;
    if (!capture)
      throw Failure{IllegalState};
    if (capture->mode != CaptureRelaxed &&
        capture->thread != std::this_thread::get_id())
      throw Failure{StreamCaptureWrongThread};
    if (capture->origin != &stream)
      call.invalidate(*capture, StreamCaptureUnmatched);
    bool isJoined = capture->isJoined();
    unsigned branches = capture->streams.size();
    capture->end();
    if (!capture->isValid)
      throw Failure{StreamCaptureInvalidated};
    if (!isJoined)
      throw Failure{StreamCaptureUnjoined};
    *graph = call.driver.graphs.make();
    (*graph)->branches = branches;
    (*graph)->nodes = std::make_shared<const std::vector<CapturedNode>>(
        std::move(capture->nodes));
  });
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph,
                                   unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", Needs::Context, [&](Call &call) {
    call.require(call.driver.graphs.has(graph), InvalidHandle,
                 "is given a graph that does not exist");
    call.require(flags == 0, InvalidValue, "is given flags other than 0");
    *exec = call.driver.executables.make();
    (*exec)->graph = graph->number;
    (*exec)->context = &call.driver.context();
    (*exec)->nodes = graph->nodes;
    for (unsigned i = 0; i < graph->branches; ++i)
      (*exec)->lanes.push_back(call.driver.scheduler.takeLane());
  });
}

static CUgraphExec_st &executableOf(Call &call, GraphExec exec) {
  call.require(call.driver.executables.has(exec), InvalidHandle,
               "is given an executable graph that does not exist");
  return *exec;
}

/// Launches of one executable graph follow each other, whatever their streams.
Result cuGraphLaunch(GraphExec exec, Stream given) {
  return call("cuGraphLaunch", Needs::Context, [&](Call &call) {
    CUstream_st &stream = call.streamHere(given);
    CUgraphExec_st &known = executableOf(call, exec);
    call.require(known.context == stream.context, InvalidHandle,
                 "is given an executable graph of another device");
    call.require(!stream.capture, NotSupported,
                 "is called during a capture, which the look-alike does not "
                 "support");
    Entry entry;
    entry.graph =
        std::make_unique<GraphRun>(known.graph, known.nodes, known.lanes);
    for (size_t i = 0; i < known.nodes->size(); ++i)
      if (CUevent_st *recorded = (*known.nodes)[i].records) {
        CUevent_st &event = call.event(recorded);
        event.capture.reset();
        event.mark = std::make_shared<Mark>();
        entry.graph->setMark(i, event.mark);
      }
    entry.waits = known.last;
    entry.passes = known.last = std::make_shared<Mark>();
    call.driver.scheduler.issue(stream, std::move(entry));
  });
}

/// Launches that are not over are not harmed.
Result cuGraphExecDestroy(GraphExec exec) {
  return call("cuGraphExecDestroy", Needs::Initialized, [&](Call &call) {
    call.driver.executables.take(&executableOf(call, exec));
  });
}

Result cuGraphDestroy(Graph graph) {
  return call("cuGraphDestroy", Needs::Initialized, [&](Call &call) {
    call.require(call.driver.graphs.has(graph), InvalidHandle,
                 "is given a graph that does not exist");
    call.driver.graphs.take(graph);
  });
}

} // namespace hocket::runtime::cuda
