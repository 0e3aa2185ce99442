//===- ReadAttention.h - attentions of a placed program --------*- C++ -*-===//

#ifndef HOCKET_DRAWING_READATTENTION_H
#define HOCKET_DRAWING_READATTENTION_H

#include "hocket/Drawing/Attention.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::drawing {

/// Those of a module of the stage placed, in its order. They hold attributes of
/// its context.
std::vector<Attention> attentionsOf(mlir::ModuleOp module);

} // namespace hocket::drawing

#endif // HOCKET_DRAWING_READATTENTION_H
