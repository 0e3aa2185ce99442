//===- Norms.cpp - defines the operations of NnNorms.td ------------------===//

#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnNorms.cpp.inc"

void NnDialect::addNorms() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnNorms.cpp.inc"
      >();
}
