//===- Kinds.h - the kind of an operation as an attribute ------*- C++ -*-===//

#ifndef HOCKET_FRONTEND_ELABORATE_KINDS_H
#define HOCKET_FRONTEND_ELABORATE_KINDS_H

#include "dialects/Nn/Layout.h"

namespace hocket::frontend {

inline mlir::NamedAttribute kindNamed(mlir::Attribute kind) {
  return {mlir::StringAttr::get(kind.getContext(), "kind"), kind};
}
inline mlir::NamedAttribute kindOf(mlir::MLIRContext *context,
                                   nn::UnaryKind kind) {
  return kindNamed(nn::UnaryKindAttr::get(context, kind));
}
inline mlir::NamedAttribute kindOf(mlir::MLIRContext *context,
                                   nn::BinaryKind kind) {
  return kindNamed(nn::BinaryKindAttr::get(context, kind));
}
inline mlir::NamedAttribute kindOf(mlir::MLIRContext *context,
                                   nn::ReduceKind kind) {
  return kindNamed(nn::ReduceKindAttr::get(context, kind));
}

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_KINDS_H
