//===- NnDialect.cpp - registers the nn dialect ---------------------------===//

#include "dialects/Nn/Nn.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket::nn;

#include "dialects/Nn/NnDialect.cpp.inc"
#include "dialects/Nn/NnEnums.cpp.inc"
#include "dialects/Nn/NnInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Nn/NnAttrs.cpp.inc"

void NnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Nn/NnAttrs.cpp.inc"
      >();
  addValues();
  addElementwise();
  addShape();
  addProducts();
  addNorms();
  addWindows();
  addNeighborhood();
  addEdges();
  addHeld();
  addHook();
}
