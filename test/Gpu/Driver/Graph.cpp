//===- Graph.cpp - captured operations and a launch of them ---------------===//

#include "test/Gpu/Driver/Graph.h"
#include "test/Gpu/Driver/Stream.h"

using namespace hocket::lookalike;

void Capture::add(CUstream_st &stream, std::shared_ptr<Operation> operation) {
  unsigned branch =
      std::find(streams.begin(), streams.end(), &stream) - streams.begin();
  nodes.push_back({std::move(operation), stream.tails, branch});
  stream.tails = {nodes.size() - 1};
}

void Capture::join(CUstream_st &stream, const std::vector<size_t> &tails) {
  if (!stream.capture)
    streams.push_back(&stream);
  for (size_t tail : tails)
    if (std::find(stream.tails.begin(), stream.tails.end(), tail) ==
        stream.tails.end())
      stream.tails.push_back(tail);
}

/// Edges lead to earlier nodes, so one pass from the last finds all.
bool Capture::isJoined() const {
  std::vector<bool> reached(nodes.size());
  for (size_t tail : origin->tails)
    reached[tail] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!reached[i])
      return false;
    for (size_t before : nodes[i].after)
      reached[before] = true;
  }
  return true;
}

void Capture::end() {
  isOver = true;
  for (CUstream_st *stream : streams) {
    stream->tails.clear();
    stream->capture.reset();
  }
}

GraphRun::GraphRun(unsigned number,
                   std::shared_ptr<const std::vector<CapturedNode>> captured,
                   std::vector<unsigned> lanes)
    : graph(number), nodes(std::move(captured)), lanes(std::move(lanes)),
      missing(nodes->size()), followers(nodes->size()), clocks(nodes->size()),
      left(nodes->size()) {
  for (size_t i = 0; i < nodes->size(); ++i) {
    missing[i] = node(i).after.size();
    for (size_t before : node(i).after)
      followers[before].push_back(i);
    if (!missing[i])
      readyNodes.push_back(i);
  }
}

void GraphRun::issued() const {
  for (const CapturedNode &each : *nodes)
    each.operation->issued();
}

Clock GraphRun::begin(size_t i, const Clock &launch) {
  readyNodes.erase(std::find(readyNodes.begin(), readyNodes.end(), i));
  Clock clock = launch;
  for (size_t before : node(i).after)
    clock.join(clocks[before]);
  return clock;
}

void GraphRun::finish(size_t i, const Clock &clock) {
  clocks[i] = clock;
  end.join(clock);
  --left;
  if (auto found = marks.find(i); found != marks.end())
    found->second->pass(clock);
  for (size_t follower : followers[i])
    if (--missing[follower] == 0)
      readyNodes.push_back(follower);
}
