//===- Memory.h - types of memory that tensors lie in ----------*- C++ -*-===//

#ifndef HOCKET_SPMD_MEMORY_H
#define HOCKET_SPMD_MEMORY_H

#include "mlir/IR/Types.h"

#include "dialects/Spmd/SpmdMemory.h.inc"

#endif // HOCKET_SPMD_MEMORY_H
