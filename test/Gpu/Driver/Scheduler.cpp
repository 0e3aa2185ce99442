//===- Scheduler.cpp - which stream goes on next --------------------------===//

#include "test/Gpu/Driver/Scheduler.h"
#include "test/Gpu/Driver/Driver.h"

using namespace hocket::lookalike;

/// Entries of all streams after which some run without being waited for.
static constexpr uint64_t longQueue = 4096;

void Scheduler::issue(CUstream_st &stream,
                      std::shared_ptr<Operation> operation) {
  if (stream.capture)
    return stream.capture->add(stream, std::move(operation));
  Entry entry;
  entry.operation = std::move(operation);
  issue(stream, std::move(entry));
}

void Scheduler::issue(CUstream_st &stream, Entry entry) {
  entry.number = ++issued;
  entry.issued = keepsThreadsApart ? threads[std::this_thread::get_id()] : host;
  if (entry.operation)
    entry.operation->issued();
  if (entry.graph)
    entry.graph->issued();
  stream.queue.push_back(std::move(entry));
  ++waiting;
  bool early = seed && random() % 4 == 0;
  if (early || waiting > longQueue)
    step();
}

void Scheduler::enter() {
  if (keepsThreadsApart)
    threads.try_emplace(std::this_thread::get_id(), host);
}

void Scheduler::hostWaited(const Clock &clock) {
  host.join(clock);
  if (keepsThreadsApart)
    threads[std::this_thread::get_id()].join(clock);
}

void Scheduler::hostSaw(const Clock &clock) {
  host.join(clock);
  for (auto &[thread, knows] : threads)
    knows.join(clock);
}

std::vector<Scheduler::Candidate> Scheduler::candidates() const {
  std::vector<Candidate> found;
  for (const auto &stream : driver.streams) {
    if (stream->isRunning || stream->queue.empty())
      continue;
    const Entry &entry = stream->queue.front();
    if (entry.waits && !entry.waits->isPassed)
      continue;
    if (!entry.graph || entry.graph->isOver()) {
      if (!entry.operation || entry.operation->isReady())
        found.push_back({stream.get(), 0, entry.number});
      continue;
    }
    for (size_t node : entry.graph->ready())
      if (entry.graph->node(node).operation->isReady())
        found.push_back({stream.get(), node, entry.number});
  }
  return found;
}

bool Scheduler::step() {
  std::vector<Candidate> found = candidates();
  if (found.empty())
    return false;
  auto isEarlier = [](const Candidate &a, const Candidate &b) {
    return std::pair(a.number, a.node) < std::pair(b.number, b.node);
  };
  run(seed ? found[random() % found.size()]
           : *std::max_element(found.begin(), found.end(), isEarlier));
  return true;
}

void Scheduler::runUntil(const std::function<bool()> &isDone) {
  while (!isDone() && !driver.stickyError) {
    if (step())
      continue;
    // Another thread runs a function of the host, or an operation waits for
    // something outside.
    lock().changed.wait_for(lock().mutex, std::chrono::milliseconds(1));
  }
}

void Scheduler::drain() {
  runUntil([&] {
    return std::all_of(driver.streams.begin(), driver.streams.end(),
                       [](const auto &stream) { return stream->isIdle(); });
  });
}

void Scheduler::run(const Candidate &candidate) {
  CUstream_st &stream = *candidate.stream;
  Entry &entry = stream.queue.front();
  stream.isRunning = true;
  stream.clock.join(entry.issued);
  if (entry.waits)
    stream.clock.join(entry.waits->clock);
  if (entry.graph && !entry.graph->isOver())
    runNode(stream, entry, candidate.node);
  else if (entry.operation)
    runOperation(stream, entry);
  if (!entry.graph || entry.graph->isOver())
    finish(stream);
  stream.isRunning = false;
  lock().changed.notify_all();
}

void Scheduler::finish(CUstream_st &stream) {
  Entry &entry = stream.queue.front();
  if (entry.graph)
    stream.clock.join(entry.graph->end);
  if (entry.passes)
    entry.passes->pass(stream.clock);
  stream.queue.pop_front();
  --waiting;
}

void Scheduler::runOperation(CUstream_st &stream, Entry &entry) {
  execute(stream, *entry.operation, stream.lane, stream.clock,
          "operation " + std::to_string(entry.number) + " in stream " +
              std::to_string(stream.number));
}

void Scheduler::runNode(CUstream_st &stream, Entry &entry, size_t node) {
  GraphRun &graph = *entry.graph;
  Clock clock = graph.begin(node, stream.clock);
  execute(stream, *graph.node(node).operation, graph.lane(node), clock,
          "node " + std::to_string(node + 1) + " of graph " +
              std::to_string(graph.graph) + ", operation " +
              std::to_string(entry.number) + " in stream " +
              std::to_string(stream.number));
  graph.finish(node, clock);
}

void Scheduler::execute(CUstream_st &stream, Operation &operation,
                        unsigned lane, Clock &clock, const std::string &place) {
  if (driver.stickyError)
    return;
  uint64_t tick = ++ticks[lane];
  clock.set(lane, tick);
  auto title =
      std::make_shared<const std::string>(operation.name + " (" + place + ")");
  Execution execution(driver, stream.context->device, {lane, tick, title},
                      clock);
  try {
    driver.counts.ran(operation);
    operation.run(execution);
  } catch (const ptx::PtxError &error) {
    execution.findSentence(error.what());
  }
}
