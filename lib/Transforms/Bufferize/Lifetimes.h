//===- Lifetimes.h - how long buffers live ----------------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_LIFETIMES_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_LIFETIMES_H

#include "mlir/IR/Block.h"

namespace hocket::bufferization {

/// Moves each packing to right behind the read of its weight, so that the plain
/// forms of two weights need not be in memory together.
void packEarly(mlir::Block &body);

/// Makes weights of the buffers that live from loading into the steps, releases
/// the others behind their last use, and erases what nothing uses.
void endLives(mlir::Block &body);

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_LIFETIMES_H
