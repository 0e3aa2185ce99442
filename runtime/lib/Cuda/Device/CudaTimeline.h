//===- CudaTimeline.h - times of a rank's calls by events ------*- C++ -*-===//
//
// Between any two calls stands an event, so that a call takes from one to the
// next; a wait for other ranks inside of a call stands between two more. In a
// recording they are nodes of the graph. Durations are those of the GPU's
// clock; that of the host says where they begin: it is read when the last event
// is known to be over.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDATIMELINE_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDATIMELINE_H

#include "hocket/Runtime/Timeline.h"
#include "runtime/lib/Cuda/Device/CudaStream.h"

namespace hocket::runtime::cuda {

class CudaTimeline : public Timeline {
public:
  explicit CudaTimeline(CudaStream &stream) : stream(stream) {}
  ~CudaTimeline() override;
  CudaTimeline(const CudaTimeline &) = delete;
  CudaTimeline &operator=(const CudaTimeline &) = delete;

  Status reserve(size_t calls, size_t waits) override;
  Status begin() override;
  Status next() override;
  Status end() override;
  Status read(std::vector<CallTime> &times) override;

  /// The stream waits for another from here on; one wait may be begun many
  /// times before it ends. Nothing where nothing is timed.
  Status beginWait();
  /// It goes on; nothing where no wait has begun.
  Status endWait();

  /// What is timed is recorded, for runs of a graph in the stream of `first`.
  void beginRecording(const CudaTimeline &first);
  void endRecording() { isRecording = false; }
  /// Before, and after a run of a graph in this stream.
  Status beginRun();
  Status endRun();
  /// After the run: it is over now.
  Status settle();

private:
  enum class Point { Call, WaitBegin, WaitEnd };

  bool isOn() const { return !events.empty(); }
  Status make(Event &event);
  Status mark(Point point);
  Status place(Event event, CallTime::Clock::time_point &time) const;

  CudaStream &stream;
  std::vector<Event> events;
  std::vector<Point> points; // of the first events; the rest is unused
  Event first = nullptr, last = nullptr; // of what the host waits for
  CallTime::Clock::time_point began;     // when `first` was passed
  const CudaTimeline *clock = this;      // whose `first` counts
  bool isRecording = false, isRecorded = false;
  bool isTiming = false, isWaiting = false;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDATIMELINE_H
