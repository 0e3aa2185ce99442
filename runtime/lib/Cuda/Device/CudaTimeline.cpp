//===- CudaTimeline.cpp - times of a rank's calls by events ---------------===//

#include "runtime/lib/Cuda/Device/CudaTimeline.h"

namespace hocket::runtime::cuda {

/// For errors.
static constexpr const char *theTimes = "times";

CudaTimeline::~CudaTimeline() {
  if (!isOn() || !stream.gpu.enter().ok())
    return;
  events.insert(events.end(), {first, last});
  for (Event event : events)
    if (event)
      stream.api->eventDestroy(event);
}

Status CudaTimeline::make(Event &event) {
  return stream.api.status(stream.api->eventCreate(&event, EventDefault),
                           "cuEventCreate", theTimes);
}

Status CudaTimeline::reserve(size_t calls, size_t waits) {
  events.resize(calls + 1 + 2 * waits);
  points.reserve(events.size());
  Status status = make(first);
  if (status.ok())
    status = make(last);
  for (Event &event : events)
    if (status.ok())
      status = make(event);
  return status;
}

Status CudaTimeline::mark(Point point) {
  if (points.size() == events.size())
    if (Status status = make(events.emplace_back()); !status.ok())
      return status;
  Event event = events[points.size()];
  points.push_back(point);
  return stream.api.status(
      stream.api->eventRecordWithFlags(event, stream.get(),
                                       isRecording ? EventRecordExternal
                                                   : EventRecordDefault),
      "cuEventRecordWithFlags", theTimes);
}

Status CudaTimeline::begin() {
  points.clear();
  isTiming = true;
  isWaiting = false;
  isRecorded = isRecording;
  Status status;
  if (!isRecorded) {
    clock = this;
    status = beginRun();
  }
  return status.ok() ? mark(Point::Call) : status;
}

Status CudaTimeline::next() {
  Status status = endWait();
  return status.ok() ? mark(Point::Call) : status;
}

Status CudaTimeline::end() {
  isTiming = false;
  return isRecording ? Status::success() : endRun();
}

Status CudaTimeline::beginWait() {
  if (!isTiming || isWaiting)
    return Status::success();
  isWaiting = true;
  return mark(Point::WaitBegin);
}

Status CudaTimeline::endWait() {
  if (!isWaiting)
    return Status::success();
  isWaiting = false;
  return mark(Point::WaitEnd);
}

void CudaTimeline::beginRecording(const CudaTimeline &of) {
  isRecording = true;
  clock = &of;
}

Status CudaTimeline::beginRun() {
  if (!isOn())
    return Status::success();
  return stream.api.status(stream.api->eventRecord(first, stream.get()),
                           "cuEventRecord", theTimes);
}

Status CudaTimeline::endRun() {
  if (!isOn())
    return Status::success();
  return stream.api.status(stream.api->eventRecord(last, stream.get()),
                           "cuEventRecord", theTimes);
}

Status CudaTimeline::settle() {
  if (!isOn())
    return Status::success();
  auto now = CallTime::Clock::now();
  float milliseconds = 0;
  Status status = stream.api.status(
      stream.api->eventElapsedTime(&milliseconds, first, last),
      "cuEventElapsedTime", theTimes);
  began = now - std::chrono::nanoseconds(int64_t(double(milliseconds) * 1e6));
  return status;
}

/// Where an event lies on the clock of the host.
Status CudaTimeline::place(Event event,
                           CallTime::Clock::time_point &time) const {
  float milliseconds = 0;
  Status status = stream.api.status(
      stream.api->eventElapsedTime(&milliseconds, clock->first, event),
      "cuEventElapsedTime", theTimes);
  time = clock->began +
         std::chrono::nanoseconds(int64_t(double(milliseconds) * 1e6));
  return status;
}

Status CudaTimeline::read(std::vector<CallTime> &times) {
  times.clear();
  Status status = isRecorded ? Status::success() : settle();
  CallTime call;
  for (size_t i = 0; status.ok() && i < points.size(); ++i) {
    CallTime::Clock::time_point time;
    status = place(events[i], time);
    switch (points[i]) {
    case Point::Call:
      call.end = time;
      if (i > 0)
        times.push_back(call);
      call = {time, time};
      break;
    case Point::WaitBegin:
      if (call.waitCount < CallTime::mostWaits)
        call.waits[call.waitCount++].begin = time;
      break;
    case Point::WaitEnd:
      call.waits[call.waitCount - 1].end = time;
      break;
    }
  }
  return status;
}

} // namespace hocket::runtime::cuda
