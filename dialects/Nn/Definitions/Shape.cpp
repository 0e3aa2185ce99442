//===- Shape.cpp - defines the operations of NnShape.td ------------------===//

#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnShape.cpp.inc"

void NnDialect::addShape() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnShape.cpp.inc"
      >();
}
