//===- CudaRecorder.h - a step as one CUDA graph ---------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDARECORDER_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDARECORDER_H

#include "runtime/lib/Cuda/Device/CudaTimeline.h"
#include "runtime/lib/Cuda/Device/Lookups.h"

namespace hocket::runtime::cuda {

/// Captures what the streams of all ranks of a process are handed: that of the
/// first rank begins, the others join by its event and end in events of their
/// own.
class CudaRecorder : public Recorder {
public:
  CudaRecorder(CudaStream &stream, Lookups &lookups, CudaTimeline &timeline)
      : stream(stream), lookups(lookups), timeline(timeline) {}
  ~CudaRecorder() override;

  Status begin() override;
  Status join(Recorder &first) override;
  Status leave() override;
  Status end(const std::vector<Recorder *> &others,
             std::unique_ptr<StepGraph> &graph) override;
  Status check() override { return lookups.check(); }

  /// Ends what has begun and was not ended, as after an error.
  void abandon();
  /// The event stands behind all that the stream has been handed.
  Status mark();
  /// What the stream is handed from here on comes after the other's mark.
  Status follow(const CudaRecorder &other);

  CudaStream &stream;
  Lookups &lookups;
  CudaTimeline &timeline;

private:
  Event event = nullptr;
  bool isCapturing = false; // begun by this rank
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDARECORDER_H
