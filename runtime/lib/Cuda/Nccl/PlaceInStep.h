//===- PlaceInStep.h - the collective that a GPU has come to ---*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_NCCL_PLACEINSTEP_H
#define HOCKET_RUNTIME_LIB_CUDA_NCCL_PLACEINSTEP_H

#include "runtime/lib/Cuda/Device/CudaStream.h"

namespace hocket::runtime::cuda {

/// A stream of collectives says in memory of the host where it is: before each
/// it writes its number there, and behind it that it has ended. So a stall has
/// a name, also in a graph, of which the host knows no more.
class PlaceInStep {
public:
  explicit PlaceInStep(CudaStream &stream) : stream(stream) {}
  ~PlaceInStep();
  PlaceInStep(const PlaceInStep &) = delete;
  PlaceInStep &operator=(const PlaceInStep &) = delete;

  /// When the stream is open, and not while it is captured: from here on
  /// numbers are below `count`.
  Status reserve(int64_t count);

  /// What the stream is handed from here on is of collective `number`, or
  /// behind it.
  Status enter(int64_t number) { return say(2 * number + 1); }
  Status leave(int64_t number) { return say(2 * number + 2); }

  int64_t place() const { return seen ? *seen : 0; }
  bool isInside() const { return place() % 2 == 1; }
  /// The collective that it is in, or that ended last; -1: none yet.
  int64_t number() const { return (place() + 1) / 2 - 1; }

private:
  Status say(int64_t place);

  CudaStream &stream;
  int64_t reserved = 0, tableBytes = 0;
  DeviceAddress numbers = 0;              // 0, 1, 2, ... of 64 bits
  volatile const int64_t *seen = nullptr; // pinned memory of the host
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_NCCL_PLACEINSTEP_H
