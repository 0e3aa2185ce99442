//===- CudaMover.cpp - copies and sums between ranks on one GPU -----------===//

#include "runtime/lib/Cuda/Device/CudaMover.h"

namespace hocket::runtime::cuda {

namespace {

class EventMark : public Mover::Mark {
public:
  explicit EventMark(CudaStream &stream) : stream(stream) {}
  ~EventMark() override {
    if (event && stream.gpu.enter().ok())
      stream.api->eventDestroy(event);
  }
  Status open() {
    return stream.api.status(
        stream.api->eventCreate(&event, EventDisableTiming), "cuEventCreate");
  }

  CudaStream &stream;
  Event event = nullptr;
};

} // namespace

Status CudaMover::makeCopy(const Operand &, const Operand &,
                           std::unique_ptr<Move> &) {
  return Status::userError("not supported yet on a GPU");
}

Status CudaMover::makeZeros(const Operand &, std::unique_ptr<Move> &) {
  return Status::userError("not supported yet on a GPU");
}

Status CudaMover::makeReduce(plan::Reduction, const Operand &,
                             const std::vector<Operand> &,
                             const std::vector<int> &, int64_t, int64_t,
                             std::unique_ptr<Move> &) {
  return Status::userError("not supported yet on a GPU");
}

Status CudaMover::makeMark(std::unique_ptr<Mark> &mark) {
  auto made = std::make_unique<EventMark>(stream);
  Status status = made->open();
  mark = std::move(made);
  return status;
}

Status CudaMover::set(Mark *mark) {
  Event event = static_cast<EventMark *>(mark)->event;
  return stream.api.status(stream.api->eventRecord(event, stream.get()),
                           "cuEventRecord");
}

Status CudaMover::follow(const Mark *mark) {
  Event event = static_cast<const EventMark *>(mark)->event;
  return stream.api.status(
      stream.api->streamWaitEvent(stream.get(), event, /*flags=*/0),
      "cuStreamWaitEvent");
}

} // namespace hocket::runtime::cuda
