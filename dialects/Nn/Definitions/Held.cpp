//===- Held.cpp - defines the operations of NnHeld.td --------------------===//

#include "dialects/Nn/Held.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnHeld.cpp.inc"

void NnDialect::addHeld() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnHeld.cpp.inc"
      >();
}
