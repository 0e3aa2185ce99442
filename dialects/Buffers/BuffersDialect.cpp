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
  return isa<BufferType>(value.getType()) ? value : Value();
}
