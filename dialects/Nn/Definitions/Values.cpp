//===- Values.cpp - defines the operations of NnValues.td ----------------===//

#include "dialects/Nn/Values.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnValues.cpp.inc"

void NnDialect::addValues() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnValues.cpp.inc"
      >();
}
