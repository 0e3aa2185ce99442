//===- IdRange.h - ids that are known when compiling -----------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_IDRANGE_H
#define HOCKET_FRONTEND_ELABORATE_IDRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace hocket::frontend {

/// The least and the most of a tensor's integers; both occur in it.
struct IdRange {
  int64_t least, most;
};

/// Of what is made of iota and numbers; nothing where the range is not known.
std::optional<IdRange> knownIds(mlir::Value ids);

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_IDRANGE_H
