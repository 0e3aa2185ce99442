//===- BuffersDialect.cpp - registers the buffers dialect -----------------===//

#include "dialects/Buffers/Buffers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::buffers;

#include "dialects/Buffers/BuffersDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Buffers/BuffersOps.cpp.inc"

void BuffersDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Buffers/BuffersOps.cpp.inc"
      >();
}

Value buffers::bufferOf(Value value) {
  if (auto view = value.getDefiningOp<ViewOp>())
    return view.getBuffer();
  return isa<BufferType, InputType>(value.getType()) ? value : Value();
}

Type buffers::elementTypeOf(Value memory) {
  if (auto input = dyn_cast<InputType>(memory.getType()))
    return input.getElementType();
  return cast<BufferType>(memory.getType()).getElementType();
}

int64_t buffers::elementsOf(Value memory) {
  if (auto input = dyn_cast<InputType>(memory.getType()))
    return input.getElements();
  return cast<BufferType>(memory.getType()).getElements();
}
