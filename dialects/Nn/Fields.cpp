//===- Fields.cpp - dictionaries that say what they must ------------------===//

#include "dialects/Nn/Fields.h"

using namespace mlir;
using namespace hocket;

bool nn::hasFields(Attribute attribute, ArrayRef<Field> fields) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  return entries && llvm::all_of(fields, [&](const Field &field) {
           Attribute value = entries.get(field.name);
           return value ? field.isKind(value) : field.isOptional;
         });
}

bool nn::isListWith(Attribute attribute, ArrayRef<Field> fields) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  return list && llvm::all_of(list, [&](Attribute each) {
           return hasFields(each, fields);
         });
}

LogicalResult nn::verifyFields(Operation *op, StringRef what,
                               Attribute attribute, ArrayRef<Field> fields) {
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  if (!entries)
    return op->emitOpError()
           << "has a dictionary for " << what << ", found " << attribute;
  for (const Field &field : fields) {
    Attribute value = entries.get(field.name);
    if (!value && !field.isOptional)
      return op->emitOpError() << "has no '" << field.name << "' in " << what;
    if (value && !field.isKind(value))
      return op->emitOpError() << "has in " << what << " '" << field.name
                               << "' of another kind: " << value;
  }
  return success();
}

LogicalResult nn::verifyList(Operation *op, StringRef what, ArrayAttr list,
                             ArrayRef<Field> fields) {
  for (Attribute each : list)
    if (failed(verifyFields(op, what, each, fields)))
      return failure();
  return success();
}
