//===- CudaMover.cpp - copies and sums between ranks on one GPU -----------===//

#include "runtime/lib/Cuda/Device/CudaMover.h"
#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "runtime/lib/Cuda/Kernels/Reduce.h"

namespace hocket::runtime::cuda {

namespace {

/// For errors.
constexpr const char *theOrder = "the order of two streams";

/// No move needs scratch.
class LaunchMove : public Mover::Move {
public:
  LaunchMove(CudaStream &stream, CudaTimeline &timeline)
      : launches(stream), timeline(timeline) {}
  Status run() override {
    Status status = timeline.endWait();
    return status.ok() ? launches.run() : status;
  }

  Launches launches;

private:
  CudaTimeline &timeline;
};

class EventMark : public Mover::Mark {
public:
  explicit EventMark(CudaStream &stream) : stream(stream) {}
  ~EventMark() override {
    if (event && stream.gpu.enter().ok())
      stream.api->eventDestroy(event);
  }
  Status open() {
    return stream.api.status(
        stream.api->eventCreate(&event, EventDisableTiming), "cuEventCreate",
        theOrder);
  }

  CudaStream &stream;
  Event event = nullptr;
};

} // namespace

Status CudaMover::makeCopy(const Operand &from, const Operand &to,
                           std::unique_ptr<Move> &move) {
  KernelLaunches launches;
  Status status = addCopy(from, to, launches);
  return status.ok() ? prepare(std::move(launches), move) : status;
}

Status CudaMover::makeZeros(const Operand &to, std::unique_ptr<Move> &move) {
  KernelLaunches launches;
  Status status = addFill(to, 0, launches);
  return status.ok() ? prepare(std::move(launches), move) : status;
}

Status CudaMover::makeReduce(plan::Reduction reduction, const Operand &out,
                             const std::vector<Operand> &terms,
                             const std::vector<int> &order, int64_t begin,
                             int64_t end, std::unique_ptr<Move> &move) {
  KernelLaunches launches;
  Status status = addReduce(reduction, out, terms, order, begin, end, launches);
  return status.ok() ? prepare(std::move(launches), move) : status;
}

Status CudaMover::prepare(KernelLaunches launches,
                          std::unique_ptr<Move> &move) {
  auto made = std::make_unique<LaunchMove>(stream, timeline);
  Status status = made->launches.prepare(std::move(launches));
  move = std::move(made);
  return status;
}

Status CudaMover::makeMark(std::unique_ptr<Mark> &mark) {
  auto made = std::make_unique<EventMark>(stream);
  Status status = made->open();
  mark = std::move(made);
  return status;
}

Status CudaMover::set(Mark *mark) {
  Status status = timeline.endWait();
  Event event = static_cast<EventMark *>(mark)->event;
  return status.ok()
             ? stream.api.status(stream.api->eventRecord(event, stream.get()),
                                 "cuEventRecord", theOrder)
             : status;
}

Status CudaMover::follow(const Mark *mark) {
  Status status = timeline.beginWait();
  Event event = static_cast<const EventMark *>(mark)->event;
  return status.ok() ? stream.api.status(stream.api->streamWaitEvent(
                                             stream.get(), event, /*flags=*/0),
                                         "cuStreamWaitEvent", theOrder)
                     : status;
}

} // namespace hocket::runtime::cuda
