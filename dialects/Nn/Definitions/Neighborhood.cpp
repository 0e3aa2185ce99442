//===- Neighborhood.cpp - defines the operations of NnNeighborhood.td ----===//

#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnNeighborhood.cpp.inc"

void NnDialect::addNeighborhood() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnNeighborhood.cpp.inc"
      >();
}
