//===- EventCalls.cpp - events, and streams that wait for them ------------===//

#include "test/Gpu/Driver/Calls.h"

using namespace hocket::lookalike;

namespace {

/// A node of a graph that does nothing but pass its event.
class EventRecord : public Operation {
public:
  EventRecord() : Operation("event record", "an event record") {}
  void run(Execution &) override {}
};

} // namespace

namespace hocket::runtime::cuda {

Result cuEventCreate(Event *event, unsigned flags) {
  return call("cuEventCreate", Needs::Context, [&](Call &call) {
    call.require(flags == EventDefault || flags == EventDisableTiming,
                 InvalidValue,
                 "is given flags that the look-alike does not "
                 "know: " +
                     std::to_string(flags));
    *event = call.driver.events.make();
    (*event)->context = &call.driver.context();
    (*event)->hasTime = flags == EventDefault;
  });
}

Result cuEventDestroy_v2(Event event) {
  return call("cuEventDestroy_v2", Needs::Context,
              [&](Call &call) { call.driver.events.take(&call.event(event)); });
}

static void record(Call &call, Event given, Stream to, unsigned flags) {
  CUevent_st &event = call.event(given);
  CUstream_st &stream = call.streamHere(to);
  call.require(event.context == stream.context, InvalidHandle,
               "records event " + std::to_string(event.number) +
                   " of another device in stream " +
                   std::to_string(stream.number));
  call.require(flags == EventRecordDefault || flags == EventRecordExternal,
               InvalidValue,
               "is given flags that the look-alike does not know: " +
                   std::to_string(flags));
  if (flags == EventRecordExternal) {
    call.require(stream.capture != nullptr, InvalidValue,
                 "is given CU_EVENT_RECORD_EXTERNAL outside of a capture");
    stream.capture->add(stream, std::make_shared<EventRecord>());
    stream.capture->nodes.back().records = &event;
    return;
  }
  event.capture = stream.capture;
  event.tails = stream.tails;
  if (stream.capture)
    return;
  event.mark = std::make_shared<Mark>();
  Entry entry;
  entry.passes = event.mark;
  call.driver.scheduler.issue(stream, std::move(entry));
}

Result cuEventRecord(Event event, Stream stream) {
  return call("cuEventRecord", Needs::Context, [&](Call &call) {
    record(call, event, stream, EventRecordDefault);
  });
}

Result cuEventRecordWithFlags(Event event, Stream stream, unsigned flags) {
  return call("cuEventRecordWithFlags", Needs::Context,
              [&](Call &call) { record(call, event, stream, flags); });
}

/// During a capture the wait is an edge of the graph.
static void waitCaptured(Call &call, CUstream_st &stream, CUevent_st &event) {
  bool isCapturing = event.capture && !event.capture->isOver;
  if (!isCapturing && !stream.capture)
    throw Failure{CapturedEvent};
  if (!isCapturing)
    call.invalidate(*stream.capture, StreamCaptureIsolation);
  if (!event.capture->isValid)
    throw Failure{StreamCaptureInvalidated};
  if (stream.capture && stream.capture != event.capture) {
    event.capture->isValid = false;
    call.invalidate(*stream.capture, StreamCaptureMerge);
  }
  call.require(stream.context == event.capture->origin->context, NotSupported,
               "joins streams of two devices in one capture, which the "
               "look-alike does not support");
  event.capture->join(stream, event.tails);
  stream.capture = event.capture;
}

Result cuStreamWaitEvent(Stream given, Event waited, unsigned flags) {
  return call("cuStreamWaitEvent", Needs::Context, [&](Call &call) {
    CUstream_st &stream = call.stream(given);
    CUevent_st &event = call.event(waited);
    call.require(flags == 0, InvalidValue, "is given flags other than 0");
    if (stream.capture && !stream.capture->isValid)
      throw Failure{StreamCaptureInvalidated};
    if (stream.capture || event.capture)
      return waitCaptured(call, stream, event);
    Entry entry;
    entry.waits = event.mark;
    if (event.mark)
      call.driver.scheduler.issue(stream, std::move(entry));
  });
}

/// The mark of an event that the host asks about. One that was never recorded
/// is over, as the documents say.
static std::shared_ptr<Mark> asked(Call &call, Event given) {
  CUevent_st &event = call.event(given);
  if (event.capture)
    throw Failure{CapturedEvent};
  call.checkNoCapture();
  if (event.mark)
    return event.mark;
  auto over = std::make_shared<Mark>();
  over->isPassed = true;
  return over;
}

Result cuEventSynchronize(Event given) {
  return call("cuEventSynchronize", Needs::Context, [&](Call &call) {
    std::shared_ptr<Mark> mark = asked(call, given);
    call.driver.scheduler.runUntil([&] { return mark->isPassed; });
    call.driver.scheduler.hostWaited(mark->clock);
  });
}

Result cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  return call("cuEventElapsedTime", Needs::Context, [&](Call &call) {
    std::shared_ptr<Mark> first = asked(call, begin), last = asked(call, end);
    call.require(begin->hasTime && end->hasTime, InvalidHandle,
                 "is given an event of CU_EVENT_DISABLE_TIMING");
    call.require(begin->mark && end->mark, InvalidHandle,
                 "is given an event that is never recorded");
    if (!first->isPassed || !last->isPassed)
      throw Failure{NotReady};
    *milliseconds =
        std::chrono::duration<float, std::milli>(last->time - first->time)
            .count();
  });
}

} // namespace hocket::runtime::cuda
