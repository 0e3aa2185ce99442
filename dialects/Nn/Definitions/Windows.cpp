//===- Windows.cpp - defines the operations of NnWindows.td --------------===//

#include "dialects/Nn/Windows.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnWindows.cpp.inc"

void NnDialect::addWindows() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnWindows.cpp.inc"
      >();
}
