//===- Buffers.h - the buffers dialect: where values lie -------*- C++ -*-===//

#ifndef HOCKET_BUFFERS_BUFFERS_H
#define HOCKET_BUFFERS_BUFFERS_H

#include "dialects/Spmd/Memory.h"
#include "dialects/Spmd/Spmd.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Buffers/BuffersDialect.h.inc"
#include "dialects/Buffers/BuffersEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Buffers/BuffersAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Buffers/BuffersTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Buffers/BuffersOps.h.inc"

namespace hocket::buffers {

/// The buffer or input that an operand of this dialect's operations is a view
/// of, or is; null for a pack and for what has started.
mlir::Value bufferOf(mlir::Value value);

/// Of a buffer or an input.
mlir::Type elementTypeOf(mlir::Value memory);
int64_t elementsOf(mlir::Value memory);

} // namespace hocket::buffers

#endif // HOCKET_BUFFERS_BUFFERS_H
