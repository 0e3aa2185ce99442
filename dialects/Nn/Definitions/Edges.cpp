//===- Edges.cpp - defines the operations of NnEdges.td ------------------===//

#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnEdges.cpp.inc"

void NnDialect::addEdges() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnEdges.cpp.inc"
      >();
}
