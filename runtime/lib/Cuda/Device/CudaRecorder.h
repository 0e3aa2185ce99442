//===- CudaRecorder.h - a step as one CUDA graph ---------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDARECORDER_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDARECORDER_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Device/Lookups.h"

namespace hocket::runtime::cuda {

/// Captures what the streams of all ranks of a process are handed: that of the
/// first rank begins, the others join by its event and end in events of their
/// own.
class CudaRecorder : public Recorder {
public:
  CudaRecorder(CudaStream &stream, Lookups &lookups)
      : stream(stream), lookups(lookups) {}
  ~CudaRecorder() override;

  Status begin() override;
  Status join(Recorder &first) override;
  Status leave() override;
  Status end(const std::vector<Recorder *> &others,
             std::unique_ptr<StepGraph> &graph) override;

  CudaStream &stream;
  Lookups &lookups;

private:
  Status mark();
  Status follow(const CudaRecorder &other);

  Event event = nullptr;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDARECORDER_H
