//===- PlanTables.cpp - tables, sources and tensors of a plan -------------===//

#include "PlanTables.h"
#include "dialects/Nn/Origin.h"
#include "hocket/Views/Strided.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;
using namespace hocket::views;

plan::DType planning::dtypeOf(Type element) {
  if (element.isF64())
    return plan::DType::F64;
  if (element.isF16())
    return plan::DType::F16;
  if (element.isBF16())
    return plan::DType::BF16;
  if (element.isInteger(1))
    return plan::DType::Bool;
  if (element.isInteger(32))
    return plan::DType::I32;
  if (element.isInteger(64))
    return plan::DType::I64;
  return plan::DType::F32;
}

std::vector<int> PlanTables::axes(ArrayRef<StringAttr> names) const {
  std::vector<int> indices;
  for (StringAttr name : names)
    indices.push_back(mesh.getIndex(name.getValue()));
  return indices;
}

std::vector<int> PlanTables::axes(ArrayAttr names) const {
  std::vector<int> indices;
  for (Attribute name : names)
    indices.push_back(mesh.getIndex(cast<StringAttr>(name).getValue()));
  return indices;
}

int PlanTables::intern(std::vector<int> axes, std::vector<int64_t> values) {
  auto [entry, isNew] = tables.try_emplace({axes, values}, plan.tables.size());
  if (isNew)
    plan.tables.push_back({std::move(axes), std::move(values)});
  return entry->second;
}

plan::Scalar PlanTables::scalar(spmd::TableAttr table, int64_t scale) {
  if (!table)
    return {};
  if (table.isConstant())
    return {table.getValues()[0] * scale, -1, 1};
  auto [entry, isNew] = known.try_emplace({table, Attribute()});
  if (isNew)
    entry->second = intern(axes(table.getAxes()), table.getValues().vec());
  return {0, entry->second, scale};
}

plan::Scalar PlanTables::isFirst(ArrayAttr names) {
  auto [entry, isNew] = known.try_emplace({Attribute(), names});
  if (isNew) {
    std::vector<int64_t> values(spmd::memberCount(mesh, names), 0);
    values[0] = 1;
    entry->second = intern(axes(names), std::move(values));
  }
  return {0, entry->second, 1};
}

int PlanTables::tableOver(spmd::TableAttr table, ArrayAttr over) {
  auto [entry, isNew] = known.try_emplace({table, over});
  if (!isNew)
    return entry->second;
  std::vector<int> wanted = axes(over);
  int64_t members = spmd::memberCount(mesh, over);
  std::vector<int64_t> values(members, table.getValues()[0]);
  // The step of a member along each axis of the table, and the axis's size.
  SmallVector<std::pair<int64_t, int64_t>> along;
  for (StringAttr name : table.getAxes()) {
    int64_t step = 1, axis = mesh.getIndex(name.getValue());
    for (size_t i = wanted.size(); i-- > 0 && wanted[i] != axis;)
      step *= mesh.getAxes()[wanted[i]].getSize();
    along.push_back({step, mesh.getAxes()[axis].getSize()});
  }
  for (int64_t member = 0; member < members && !along.empty(); ++member) {
    int64_t index = 0;
    for (auto [step, size] : along)
      index = index * size + member / step % size;
    values[member] = table.getValues()[index];
  }
  return entry->second = intern(std::move(wanted), std::move(values));
}

int PlanTables::rowList(ArrayAttr lists) {
  if (!lists)
    return -1;
  auto [entry, isNew] = rowLists.try_emplace(lists, plan.rowLists.size());
  if (isNew)
    plan.rowLists.push_back(spmd::rowsOf(lists));
  return entry->second;
}

int PlanTables::source(Location loc) {
  auto [entry, isNew] = sources.try_emplace(loc, plan.sources.size());
  if (isNew) {
    nn::Origin origin = nn::originOf(loc);
    plan.sources.push_back({origin.path, origin.model, origin.schedule});
  }
  return entry->second;
}

plan::GlobalTensor PlanTables::tensor(StringRef name, Type element,
                                      spmd::BoxAttr box) {
  plan::GlobalTensor tensor;
  tensor.name = name.str();
  tensor.type = dtypeOf(element);
  for (int64_t size : box.getLayout().getShape())
    tensor.dims.push_back(size);
  for (int64_t size : factorSizes(box.getLayout()))
    tensor.shape.push_back(size);
  for (spmd::CutAttr cut : box.getCuts()) {
    int position = firstFactor(box.getLayout(), cut.getDim()) + cut.getFactor();
    // Sizes may be equal everywhere where offsets are not: both are written
    // over the axes of the cut.
    auto axesOf = [&](spmd::TableAttr table) {
      llvm::SmallVector<Attribute> names(table.getAxes().begin(),
                                         table.getAxes().end());
      return ArrayAttr::get(box.getContext(), names);
    };
    bool bySize =
        cut.getSize().getAxes().size() > cut.getOffset().getAxes().size();
    ArrayAttr over = axesOf(bySize ? cut.getSize() : cut.getOffset());
    tensor.cuts.push_back({position, tableOver(cut.getOffset(), over),
                           tableOver(cut.getSize(), over)});
    if (spmd::RunsAttr runs = cut.getRuns())
      tensor.cuts.back().runs = {
          tableOver(runs.getBegin(), over), tableOver(runs.getFirst(), over),
          tableOver(runs.getLength(), over), tableOver(runs.getEvery(), over)};
  }
  return tensor;
}

/// Every class reads the same parameters in the same order.
int PlanTables::parameter(spmd::ParameterOp op) {
  auto [entry, isNew] =
      parameters.try_emplace(op.getPathAttr(), plan.parameters.size());
  if (!isNew)
    return entry->second;
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  plan.parameters.push_back(tensor(op.getPath(), element, op.getBox()));
  if (nn::InitAttr init = op.getInitAttr())
    plan.parameters.back().init = {init.getKind() == nn::InitKind::Normal
                                       ? plan::InitKind::Normal
                                       : plan::InitKind::Constant,
                                   init.getValue().getValueAsDouble()};
  return entry->second;
}
