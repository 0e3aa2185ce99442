//===- DnnGraph.cpp - a computation described to cuDNN --------------------===//

#include "runtime/lib/Cuda/Dnn/DnnGraph.h"
#include <algorithm>

namespace hocket::runtime::cuda {

DnnObject &DnnGraph::add(DnnDescriptorType type) {
  objects.push_back(object(type));
  return *objects.back();
}

DnnObject &DnnGraph::addTensor(const GraphTensor &tensor) {
  const bool isVirtual = tensor.place == GraphTensor::Place::Nowhere;
  const bool isValue = tensor.place == GraphTensor::Place::Value;
  DnnObject &made = add(DnnTensorDescriptor);
  made.set(DnnTensorId, tensor.name);
  made.set(DnnTensorType, DnnTypeDataType, tensor.type);
  made.set(DnnTensorExtents, tensor.extents);
  made.set(DnnTensorStrides, tensor.strides);
  made.set(DnnTensorAlignment, tensor.alignment);
  made.set(DnnTensorIsVirtual, DnnTypeBoolean, 1, &isVirtual);
  if (isValue)
    made.set(DnnTensorIsValue, DnnTypeBoolean, 1, &isValue);
  made.finish();
  return made;
}

bool DnnGraph::isRefused() const {
  return std::any_of(objects.begin(), objects.end(), [](const auto &each) {
    return each->code / 1000 == DnnNotSupported / 1000;
  });
}

Status DnnGraph::finish(const std::vector<DnnDescriptor> &operations) {
  for (const std::unique_ptr<DnnObject> &each : objects)
    if (!each->status.ok())
      return each->status;
  graph = &add(DnnOperationGraph);
  graph->set(DnnGraphOperations, DnnTypeDescriptor, int64_t(operations.size()),
             operations.data());
  if (dnn.handle)
    graph->set(DnnGraphHandle, DnnTypeHandle, 1, &dnn.handle);
  graph->finish();
  return graph->status;
}

/// Whether all calls for an engine have succeeded. One that has failed is
/// passed over: another may do.
bool DnnGraph::isGood(const DnnObject &object) const {
  bool isUnsupported = object.code / 1000 == DnnNotSupported / 1000;
  if (passedOver.ok() && !isUnsupported)
    passedOver = object.status;
  return object.status.ok();
}

bool DnnGraph::mayCompute(DnnObject &config, DnnType type,
                          bool mayDiffer) const {
  std::unique_ptr<DnnObject> engine = object(DnnEngine);
  if (isGood(*engine))
    config.get(DnnConfigEngine, DnnTypeDescriptor, 1, &engine->descriptor);
  if (!isGood(*engine) || !isGood(config))
    return false;
  constexpr int64_t most = 32;
  int notes[most] = {};
  int64_t count = engine->get(DnnEngineNotes, DnnTypeNote, most, notes);
  if (!isGood(*engine))
    return false;
  return std::none_of(notes, notes + std::min(count, most), [&](int note) {
    return (note == DnnNoteNondeterministic && !mayDiffer) ||
           note == DnnNoteRoundsInputs || note == DnnNoteRoundsSums ||
           note == DnnNoteFft || note == DnnNoteWinograd ||
           (note == DnnNoteTensorCore && type == DnnF32);
  });
}

bool DnnGraph::writePlan(DnnObject &config, int64_t workspace,
                         std::string &text, int64_t &wanted) const {
  std::unique_ptr<DnnObject> plan = object(DnnPlan);
  if (dnn.handle)
    plan->set(DnnPlanHandle, DnnTypeHandle, 1, &dnn.handle);
  if (dnn.device)
    plan->set(DnnPlanDevice, DnnTypeDescriptor, 1, &dnn.device);
  plan->set(DnnPlanConfig, config);
  plan->finish();
  int64_t bytes = 0;
  plan->get(DnnPlanWorkspace, DnnTypeInt64, 1, &bytes);
  if (!isGood(*plan))
    return false;
  if (bytes > workspace) {
    wanted = wanted ? std::min(wanted, bytes) : bytes;
    return false;
  }
  text.resize(plan->get(DnnPlanText, DnnTypeChar, 0, nullptr));
  plan->get(DnnPlanText, DnnTypeChar, int64_t(text.size()), text.data());
  return isGood(*plan) && !text.empty();
}

Status DnnGraph::choose(DnnType type, bool mayDiffer, int64_t workspace,
                        std::string &plan, int64_t &wanted) const {
  wanted = 0;
  auto take = [&](DnnObject &config) {
    return mayCompute(config, type, mayDiffer) &&
           writePlan(config, workspace, plan, wanted);
  };
  Status status;
  for (DnnHeuristicsKind kind : {DnnHeuristicsBest, DnnHeuristicsFallback}) {
    plan.clear();
    if (status.ok())
      status = forEachConfig(kind, take);
    if (!plan.empty())
      return Status::success();
  }
  return status.ok() ? passedOver : status;
}

Status
DnnGraph::forEachConfig(DnnHeuristicsKind kind,
                        const std::function<bool(DnnObject &)> &take) const {
  std::unique_ptr<DnnObject> heuristics = object(DnnHeuristics);
  heuristics->set(DnnHeuristicsGraph, *graph);
  heuristics->set(DnnHeuristicsMode, DnnTypeHeuristics, kind);
  if (dnn.device)
    heuristics->set(DnnHeuristicsDevice, DnnTypeDescriptor, 1, &dnn.device);
  heuristics->finish();
  constexpr size_t most = 128;
  std::vector<std::unique_ptr<DnnObject>> configs;
  std::vector<DnnDescriptor> descriptors;
  while (configs.size() < most) {
    configs.push_back(object(DnnEngineConfig));
    descriptors.push_back(configs.back()->descriptor);
    if (!configs.back()->status.ok())
      return configs.back()->status;
  }
  int64_t count = heuristics->get(DnnHeuristicsResults, DnnTypeDescriptor,
                                  int64_t(most), descriptors.data());
  count = std::min<int64_t>(count, most);
  for (int64_t i = 0; i < count; ++i)
    if (take(*configs[i]))
      break;
  return heuristics->status;
}

} // namespace hocket::runtime::cuda
