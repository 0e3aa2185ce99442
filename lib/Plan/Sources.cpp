//===- Sources.cpp - parameters and constants -----------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

/// Every class reads the same parameters in the same order.
int PlanTables::parameter(nn::ParameterOp op) {
  auto [entry, isNew] =
      parameters.try_emplace(op.getPathAttr(), plan.parameters.size());
  if (!isNew)
    return entry->second;
  auto box = op->getAttrOfType<spmd::BoxAttr>(spmd::kCuts);
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  plan.parameters.push_back(tensor(op.getPath(), element, box));
  if (nn::InitAttr init = op.getInitAttr())
    plan.parameters.back().init = {init.getKind() == nn::InitKind::Normal
                                       ? plan::InitKind::Normal
                                       : plan::InitKind::Constant,
                                   init.getValue().getValueAsDouble()};
  return entry->second;
}

LogicalResult ClassPlanner::planParameter(nn::ParameterOp op) {
  Value value = op.getResult();
  bool changes = assigned.contains(op.getPathAttr());
  if (changes)
    store(*op, op.getPath());
  else
    values[value] = allocate(value.getType(), {});
  int number = tables.parameter(op);
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
