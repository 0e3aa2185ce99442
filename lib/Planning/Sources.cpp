//===- Sources.cpp - parameters and positions -----------------------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

Body planning::instructionOf(spmd::ParameterOp op, Call &call,
                             PlanTables &tables) {
  return plan::ReadParameter{tables.parameter(op), call.view(call.result()),
                             tables.axes(op.getOnlyFirstOf())};
}

Body planning::instructionOf(spmd::IotaOp op, Call &call, PlanTables &tables) {
  plan::Iota iota;
  // Dims, not factors: a position counts along the whole dim.
  iota.dst = call.resultByDims();
  iota.dim = op.getDim();
  iota.first = tables.scalar(op.getPositions().getBegin());
  return iota;
}
