//===- FsdpUnit.cpp - marking what is moved together ----------------------===//

#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;

void nn::markUnit(Value parameter, Value from, Value moved) {
  Operation *owner = parameter.getDefiningOp();
  Attribute unit = owner ? owner->getAttr(kUnit) : Attribute();
  while (unit && moved != from) {
    auto made = moved.getDefiningOp<RedistributeOp>();
    if (!made)
      return;
    made->setAttr(kUnit, unit);
    moved = made.getX();
  }
}
