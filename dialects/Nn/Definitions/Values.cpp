//===- Values.cpp - defines values, programs and functions ----------------===//

#include "dialects/Nn/Values.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Program.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnValues.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Nn/NnProgram.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Nn/NnFunc.cpp.inc"

void NnDialect::addValues() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnValues.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnProgram.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnFunc.cpp.inc"
      >();
}
