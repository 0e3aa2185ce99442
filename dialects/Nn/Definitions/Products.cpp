//===- Products.cpp - defines the operations of NnProducts.td ------------===//

#include "dialects/Nn/Products.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket::nn;

#define GET_OP_CLASSES
#include "dialects/Nn/NnProducts.cpp.inc"

void NnDialect::addProducts() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Nn/NnProducts.cpp.inc"
      >();
}
