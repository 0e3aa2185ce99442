//===- Sources.cpp - parameters and positions -----------------------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

Body planning::instructionOf(nn::ParameterOp op, Call &call,
                             PlanTables &tables) {
  plan::ReadParameter read{tables.parameter(op), call.view(call.result()), {}};
  if (auto axes = op->getAttrOfType<ArrayAttr>(spmd::kOnlyFirstOf))
    read.onlyFirstOf = tables.axes(axes);
  return read;
}

Body planning::instructionOf(nn::IotaOp op, Call &call, PlanTables &tables) {
  plan::Iota iota;
  // Dims, not factors: a position counts along the whole dim.
  iota.dst = call.resultByDims();
  iota.dim = op.getDim();
  iota.first = tables.scalar(op->getAttrOfType<spmd::TableAttr>(spmd::kFirst));
  return iota;
}
