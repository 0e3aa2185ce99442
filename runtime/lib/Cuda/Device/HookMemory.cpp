//===- HookMemory.cpp - what hooks of a rank have of its GPU --------------===//

#include "runtime/lib/Cuda/Device/HookMemory.h"

namespace hocket::runtime::cuda {

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
