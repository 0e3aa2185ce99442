//===- Elementwise.cpp - defines the operations of NnElementwise.td ------===//

#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnElementwise.cpp.inc"

void NnDialect::addElementwise() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnElementwise.cpp.inc"
      >();
}
