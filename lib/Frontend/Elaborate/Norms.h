//===- Norms.h - what a norm over several dims is told ---------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_NORMS_H
#define HOCKET_FRONTEND_ELABORATE_NORMS_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hocket::frontend {

/// GroupNorm, InstanceNorm and BatchNorm 1d to 3d, LayerNorm over several dims.
struct Norm {
  enum class Kind { Group, Instance, Batch, Layer };
  Kind kind;
  size_t spatial = 0;   // dims after the channels; 0: any number
  int64_t channels = 0; // size of dim 1
  int64_t groups = 1;   // of the channels
  double eps = 1e-5;
  double momentum = 0.1; // Batch: of what the running statistics take over
};

/// Kind and spatial dims of the norm of that name; nothing if it is none.
std::optional<Norm> normNamed(llvm::StringRef name);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_NORMS_H
