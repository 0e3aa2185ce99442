//===- Sources.cpp - parameters and constants -----------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

LogicalResult ClassPlanner::planParameter(nn::ParameterOp op) {
  Value value = op.getResult();
  bool changes = assigned.contains(op.getPathAttr());
  if (changes)
    store(*op, op.getPath());
  else
    values[value] = allocate(value.getType(), {});
  auto box = op->getAttrOfType<spmd::BoxAttr>(spmd::kCuts);
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  // Every class reads the same parameters in the same order.
  plan::Plan &plan = tables.plan;
  int number = -1;
  for (size_t i = 0; i < plan.parameters.size(); ++i)
    if (plan.parameters[i].name == op.getPath())
      number = i;
  if (number < 0) {
    number = plan.parameters.size();
    plan.parameters.push_back(tables.tensor(op.getPath(), element, box));
    if (nn::InitAttr init = op.getInitAttr())
      plan.parameters.back().init = {init.getKind() == nn::InitKind::Normal
                                         ? plan::InitKind::Normal
                                         : plan::InitKind::Constant,
                                     init.getValue().getValueAsDouble()};
  }
  plan::ReadParameter read{number, get(value).view(), {}};
  if (auto axes = op->getAttrOfType<ArrayAttr>(spmd::kOnlyFirstOf))
    read.onlyFirstOf = tables.axes(axes);
  rankClass->load.push_back({tables.source(op.getLoc()), read});
  return success();
}

LogicalResult ClassPlanner::planFill(nn::FillOp op) {
  values[op.getResult()] = allocate(op.getType(), {});
  emit(*op,
       plan::Fill{get(op.getResult()).view(), op.getValue().convertToDouble()});
  return success();
}

LogicalResult ClassPlanner::planIota(nn::IotaOp op) {
  auto layout = nn::layoutOf(op.getResult());
  Strided window = allocate(op.getType(), {});
  values[op.getResult()] = window;
  plan::Iota iota;
  // Dims, not factors: a position counts along the whole dim.
  iota.dst = reshaped(window, layout.getShape())->view();
  iota.dim = op.getDim();
  iota.first = tables.scalar(op->getAttrOfType<spmd::TableAttr>(spmd::kFirst));
  emit(*op, iota);
  return success();
}
