//===- Emit.h - making operations of a model -------------------*- C++ -*-===//
//
// Included by Elaborator.h, which declares these.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_EMIT_H
#define HOCKET_FRONTEND_ELABORATE_EMIT_H

#include "Elaborator.h"

namespace hocket::frontend {

/// Whether a tensor has few enough elements to be counted; else an error.
bool isCountable(Elaborator &elaborator, mlir::Type type,
                 syntax::SourceRange range);

template <typename Op>
mlir::Value Elaborator::emit(syntax::SourceRange range,
                             mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::Location loc = locationOf(range);
  auto dictionary = builder.getDictionaryAttr(attributes);
  typename Op::Properties properties{};
  auto fail = [&] { return mlir::emitError(loc); };
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(Op::setPropertiesFromAttr(properties, dictionary, fail)) ||
      mlir::failed(Op::inferReturnTypes(context, loc, operands, dictionary,
                                        &properties, {}, types))) {
    hadShapeError = true;
    return {};
  }
  if (!isCountable(*this, types[0], range))
    return {};
  mlir::OperationState state(loc, Op::getOperationName(), operands, types,
                             attributes);
  return builder.create(state)->getResult(0);
}

template <typename Op>
mlir::Value
Elaborator::emitAs(syntax::SourceRange range, mlir::Type type,
                   mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::OperationState state(locationOf(range), Op::getOperationName(),
                             operands, type, attributes);
  return builder.create(state)->getResult(0);
}

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_EMIT_H
