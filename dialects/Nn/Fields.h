//===- Fields.h - dictionaries that say what they must ---------*- C++ -*-===//

#ifndef HOCKET_NN_FIELDS_H
#define HOCKET_NN_FIELDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <functional>

namespace hocket::nn {

template <typename... T> bool isA(mlir::Attribute attribute) {
  return mlir::isa<T...>(attribute);
}

template <typename... T> bool isListOf(mlir::Attribute attribute) {
  auto list = mlir::dyn_cast<mlir::ArrayAttr>(attribute);
  return list && llvm::all_of(list, isA<T...>);
}

/// An entry, and what is one.
struct Field {
  llvm::StringRef name;
  std::function<bool(mlir::Attribute)> isKind;
  bool isOptional = false;
};

/// A dictionary, or a list of them, of these and maybe others.
bool hasFields(mlir::Attribute attribute, llvm::ArrayRef<Field> fields);
bool isListWith(mlir::Attribute attribute, llvm::ArrayRef<Field> fields);

/// Says of `what` which entry it lacks, or which is of another kind.
mlir::LogicalResult verifyFields(mlir::Operation *op, llvm::StringRef what,
                                 mlir::Attribute attribute,
                                 llvm::ArrayRef<Field> fields);

/// Of each of a list.
mlir::LogicalResult verifyList(mlir::Operation *op, llvm::StringRef what,
                               mlir::ArrayAttr list,
                               llvm::ArrayRef<Field> fields);

} // namespace hocket::nn

#endif // HOCKET_NN_FIELDS_H
