//===- RankTimes.cpp - what a rank's calls take ---------------------------===//

#include "runtime/lib/Executor/RankRunner.h"
#include <algorithm>

namespace hocket::runtime {

/// Where the device has to be asked, and somebody wants to know.
Status RankRunner::prepareTimes() {
  events.reserve(setup.traceEvents);
  timeline = setup.timesCalls ? device->timeline() : nullptr;
  if (!timeline)
    return Status::success();
  size_t most = std::max(loadCalls.size(), stepCalls.size()), collectives = 0;
  for (const std::vector<Prepared> *calls : {&loadCalls, &stepCalls})
    collectives = std::max(
        collectives, size_t(std::count_if(calls->begin(), calls->end(),
                                          [](const Prepared &prepared) {
                                            return prepared.collective >= 0;
                                          })));
  issued.reserve(most);
  times.reserve(most);
  return timeline->reserve(most, collectives * CallTime::mostWaits);
}

/// A call has just been handed over, after `begin`.
Status RankRunner::noteCall(const Issued &call, CallTime::Clock::time_point &at,
                            bool load) {
  if (timeline) {
    issued.push_back(call);
    return timeline->next();
  }
  CallTime time{at, CallTime::Clock::now()};
  at = time.end;
  if (call.prepared->collective >= 0) // has just run
    for (const WaitSpan &span : comm->lastWaits())
      time.waits[time.waitCount++] = {span.begin, span.end};
  addTime(call, time, load);
  return Status::success();
}

/// All that was handed over has ended.
Status RankRunner::readTimes(bool load) {
  if (!timeline)
    return Status::success();
  Status status = timeline->read(times);
  for (size_t i = 0; status.ok() && i < times.size(); ++i)
    addTime(issued[i], times[i], load);
  return status;
}

void RankRunner::addTime(const Issued &call, const CallTime &time, bool load) {
  using std::chrono::duration_cast, std::chrono::nanoseconds;
  PhaseCounters &counts = load ? counters.load : counters.step;
  counts.instructions[call.prepared->kind].nanoseconds +=
      duration_cast<nanoseconds>(time.end - time.begin).count();
  if (setup.traceEvents == 0)
    return;
  if (events.size() == static_cast<size_t>(setup.traceEvents)) {
    ++eventsLeftOut;
    return;
  }
  auto since = [&](CallTime::Clock::time_point point) {
    return duration_cast<nanoseconds>(point - setup.start).count();
  };
  const Prepared *list = (load ? loadCalls : stepCalls).data();
  TraceEvent event{since(time.begin), since(time.end), load ? 0 : stepNumber(),
                   call.bytes, static_cast<int32_t>(call.prepared - list)};
  for (; event.waitCount < time.waitCount; ++event.waitCount)
    event.waits[event.waitCount] = {since(time.waits[event.waitCount].begin),
                                    since(time.waits[event.waitCount].end)};
  events.push_back(event);
}

/// What was timed before the recording was not of a graph: first calls wait for
/// what libraries load.
void RankRunner::forgetTimes() {
  if (!timeline)
    return;
  for (InstructionCounter &counter : counters.step.instructions)
    counter.nanoseconds = 0;
  counters.step.timedRuns = 0;
}

void RankRunner::enterReplay(StepPart part) {
  if (part != StepPart::FromDecision)
    isWithheld = false;
  place->step.store(stepNumber(), std::memory_order_relaxed);
}

Status RankRunner::endReplay(StepPart part, NotFinite rule) {
  Status status = device->recorder()->check();
  if (part == StepPart::BeforeDecision) {
    if (status.ok())
      status = decide();
    return status.ok() && isWithheld && rule == NotFinite::Skip ? keepStates()
                                                                : status;
  }
  if (status.ok())
    status = readTimes(/*load=*/false);
  if (status.ok() && isWithheld)
    status = device->copy(stateMemory, statesBefore, counters.stateBytes);
  ++steps;
  counters.step.timedRuns += timeline != nullptr;
  return status;
}

} // namespace hocket::runtime
