//===- CudaRecorder.cpp - a step as one CUDA graph ------------------------===//

#include "runtime/lib/Cuda/Device/CudaRecorder.h"

namespace hocket::runtime::cuda {

namespace {

/// For errors.
constexpr const char *theStep = "a step as a graph";

class CudaGraph : public StepGraph {
public:
  explicit CudaGraph(CudaRecorder &first)
      : first(first), stream(first.stream) {}
  ~CudaGraph() override {
    if (exec && stream.gpu.enter().ok())
      stream.api->graphExecDestroy(exec);
  }

  Status make(Graph graph) {
    Status status =
        stream.api.status(stream.api->graphInstantiate(&exec, graph, 0),
                          "cuGraphInstantiateWithFlags", theStep);
    stream.api->graphDestroy(graph);
    return status;
  }

  /// What the other ranks' streams are handed, as uploads of inputs before and
  /// downloads of outputs behind it, keeps its place.
  Status start() override {
    Status status;
    for (CudaRecorder *other : others) {
      if (status.ok())
        status = other->mark();
      if (status.ok())
        status = first.follow(*other);
    }
    if (status.ok())
      status = launch();
    if (status.ok())
      status = first.mark();
    for (CudaRecorder *other : others)
      if (status.ok())
        status = other->follow(first);
    return status;
  }

  Status finish() override {
    Status status = stream.finish();
    return status.ok() ? first.timeline.settle() : status;
  }

  std::vector<CudaRecorder *> others; // of all ranks but the first

private:
  Status launch() {
    Status status = first.timeline.beginRun();
    if (status.ok())
      status = stream.api.status(stream.api->graphLaunch(exec, stream.get()),
                                 "cuGraphLaunch", theStep);
    return status.ok() ? first.timeline.endRun() : status;
  }

  CudaRecorder &first;
  CudaStream &stream; // of the first rank
  GraphExec exec = nullptr;
};

CudaRecorder &cudaOf(Recorder &recorder) {
  return static_cast<CudaRecorder &>(recorder);
}

} // namespace

CudaRecorder::~CudaRecorder() {
  if (event && stream.gpu.enter().ok())
    stream.api->eventDestroy(event);
}

Status CudaRecorder::mark() {
  Status status;
  if (!event)
    status =
        stream.api.status(stream.api->eventCreate(&event, EventDisableTiming),
                          "cuEventCreate", theStep);
  return status.ok()
             ? stream.api.status(stream.api->eventRecord(event, stream.get()),
                                 "cuEventRecord", theStep)
             : status;
}

Status CudaRecorder::follow(const CudaRecorder &other) {
  return stream.api.status(
      stream.api->streamWaitEvent(stream.get(), other.event, /*flags=*/0),
      "cuStreamWaitEvent", theStep);
}

/// Relaxed: several threads hand calls to the streams.
Status CudaRecorder::begin() {
  Status status = stream.api.status(
      stream.api->streamBeginCapture(stream.get(), CaptureRelaxed),
      "cuStreamBeginCapture", theStep);
  isCapturing = status.ok();
  timeline.beginRecording(timeline);
  return status.ok() ? mark() : status;
}

void CudaRecorder::abandon() {
  Graph captured = nullptr;
  if (isCapturing &&
      stream.api->streamEndCapture(stream.get(), &captured) == Success &&
      captured)
    stream.api->graphDestroy(captured);
  isCapturing = false;
}

Status CudaRecorder::join(Recorder &first) {
  timeline.beginRecording(cudaOf(first).timeline);
  return follow(cudaOf(first));
}

Status CudaRecorder::leave() {
  timeline.endRecording();
  Status status = lookups.fetch();
  return status.ok() ? mark() : status;
}

Status CudaRecorder::end(const std::vector<Recorder *> &others,
                         std::unique_ptr<StepGraph> &graph) {
  auto made = std::make_unique<CudaGraph>(*this);
  timeline.endRecording();
  Status status = lookups.fetch();
  for (Recorder *other : others) {
    if (status.ok())
      status = follow(cudaOf(*other));
    made->others.push_back(&cudaOf(*other));
  }
  if (!status.ok())
    return status; // and the capture is abandoned
  Graph captured = nullptr;
  status =
      stream.api.status(stream.api->streamEndCapture(stream.get(), &captured),
                        "cuStreamEndCapture", theStep);
  isCapturing = !status.ok(); // then it is abandoned
  if (status.ok())
    status = made->make(captured);
  graph = std::move(made);
  return status;
}

} // namespace hocket::runtime::cuda
