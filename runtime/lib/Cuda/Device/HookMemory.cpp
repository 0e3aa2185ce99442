//===- HookMemory.cpp - what hooks of a rank have of its GPU --------------===//

#include "runtime/lib/Cuda/Device/HookMemory.h"

namespace hocket::runtime::cuda {

HookMemory::~HookMemory() {
  if (event && computes.gpu.enter().ok())
    computes.api->eventDestroy(event);
}

/// A recording that has been ended, by whatever rank, says so by the next call
/// for its stream.
Status HookMemory::check(const std::string &hook) {
  const Driver &api = computes.api;
  const std::string what = "what hook '" + hook + "' launches";
  Status status;
  if (!event)
    status = api.status(api->eventCreate(&event, EventDisableTiming),
                        "cuEventCreate", what);
  if (!status.ok())
    return status;
  Result result = api->eventRecord(event, computes.get());
  if (result == StreamCaptureInvalidated)
    return Status::runtimeError(
        "hook '" + hook +
        "' or one before it did what a graph cannot hold while the step was "
        "recorded: a hook may wait for nothing, allocate nothing, and launch "
        "only on call->stream and on streams that wait for it");
  return api.status(result, "cuEventRecord", what);
}

Status HookMemory::scratch(size_t number, int64_t bytes, void *&place) {
  if (number >= pieces.size())
    pieces.resize(number + 1);
  Piece &piece = pieces[number];
  Status status;
  if (!piece.place || piece.bytes < bytes) {
    int64_t most = std::max<int64_t>(bytes, 1);
    status = allocate(most,
                      std::to_string(most) + " bytes on GPU '" +
                          computes.gpu.name() + "' for scratch of hooks",
                      piece.place);
    piece.bytes = status.ok() ? most : 0;
  }
  place = reinterpret_cast<void *>(piece.place);
  return status;
}

} // namespace hocket::runtime::cuda
