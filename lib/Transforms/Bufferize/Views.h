//===- Views.h - operations that move nothing -------------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_VIEWS_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_VIEWS_H

#include "Placer.h"

namespace hocket::bufferization {

/// Where the result of a rearrange, slice, spmd.slice or broadcast lies: where
/// its operand does, in another view, or in a copy if no view has its factors.
Strided viewOf(mlir::Operation &op, Placer &placer);

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_VIEWS_H
