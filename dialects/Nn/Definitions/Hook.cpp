//===- Hook.cpp - defines the operation of NnHook.td ----------------------===//

#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnHook.cpp.inc"

void NnDialect::addHook() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnHook.cpp.inc"
      >();
}
