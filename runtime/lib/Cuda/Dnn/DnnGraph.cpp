//===- DnnGraph.cpp - a convolution described to cuDNN --------------------===//

#include "runtime/lib/Cuda/Dnn/DnnGraph.h"
#include <algorithm>

namespace hocket::runtime::cuda {

using plan::ConvolutionPass;

/// The largest power of two that divides an address, at most 16: more serves
/// no engine.
static int64_t alignmentOf(const Operand &operand) {
  int64_t address = reinterpret_cast<intptr_t>(operand.data) | 16;
  return address & -address;
}

ConvolutionAlignment
ConvolutionAlignment::of(const ConvolutionArguments &arguments) {
  ConvolutionAlignment alignment;
  alignment.x = alignmentOf(arguments.x);
  alignment.weight = alignmentOf(arguments.weight);
  alignment.y = alignmentOf(arguments.y);
  if (arguments.bias)
    alignment.bias = alignmentOf(*arguments.bias);
  return alignment;
}

DnnObject &DnnGraph::add(DnnDescriptorType type) {
  objects.push_back(object(type));
  return *objects.back();
}

DnnObject &DnnGraph::addTensor(int64_t name, const DnnTensor &tensor,
                               DnnType type, int64_t alignment,
                               bool isVirtual) {
  DnnObject &made = add(DnnTensorDescriptor);
  made.set(DnnTensorId, name);
  made.set(DnnTensorType, DnnTypeDataType, type);
  made.set(DnnTensorExtents, tensor.extents);
  made.set(DnnTensorStrides, tensor.strides);
  made.set(DnnTensorAlignment, alignment);
  made.set(DnnTensorIsVirtual, DnnTypeBoolean, 1, &isVirtual);
  made.finish();
  return made;
}

DnnObject &DnnGraph::addConvolution(const ConvolutionForm &form) {
  DnnObject &made = add(DnnConvolutionDescriptor);
  made.set(DnnConvolutionCompute, DnnTypeDataType, form.compute);
  made.set(DnnConvolutionMode, DnnTypeMode, DnnCrossCorrelation);
  made.set(DnnConvolutionDims, int64_t(form.strides.size()));
  made.set(DnnConvolutionStrides, form.strides);
  made.set(DnnConvolutionDilations, form.dilations);
  made.set(DnnConvolutionLows, form.lows);
  made.set(DnnConvolutionHighs, form.highs);
  made.finish();
  return made;
}

/// What an operation is called and where its attributes begin: alpha, beta and
/// the convolution are the first three of each.
static DnnDescriptorType operationOf(ConvolutionPass pass,
                                     DnnAttribute (&names)[6]) {
  auto name = [&](DnnAttribute alpha, DnnAttribute x, DnnAttribute weight,
                  DnnAttribute y) {
    for (int i = 0; i < 3; ++i)
      names[i] = DnnAttribute(alpha + i);
    names[3] = x;
    names[4] = weight;
    names[5] = y;
  };
  switch (pass) {
  case ConvolutionPass::Forward:
    name(DnnForwardAlpha, DnnForwardX, DnnForwardWeight, DnnForwardY);
    return DnnOperationForward;
  case ConvolutionPass::InputGradient:
    name(DnnInputGradientAlpha, DnnInputGradientX, DnnInputGradientWeight,
         DnnInputGradientY);
    return DnnOperationInputGradient;
  default:
    name(DnnWeightGradientAlpha, DnnWeightGradientX, DnnWeightGradientWeight,
         DnnWeightGradientY);
    return DnnOperationWeightGradient;
  }
}

DnnObject &DnnGraph::addOperation(const ConvolutionForm &form, DnnObject &x,
                                  DnnObject &weight, DnnObject &y) {
  DnnObject &windows = addConvolution(form);
  DnnAttribute names[6];
  DnnObject &made = add(operationOf(form.pass, names));
  const double one64 = 1, zero64 = 0;
  const float one32 = 1, zero32 = 0;
  if (form.compute == DnnF64) {
    made.set(names[0], DnnTypeDouble, 1, &one64);
    made.set(names[1], DnnTypeDouble, 1, &zero64);
  } else {
    made.set(names[0], DnnTypeFloat, 1, &one32);
    made.set(names[1], DnnTypeFloat, 1, &zero32);
  }
  made.set(names[2], windows);
  made.set(names[3], x);
  made.set(names[4], weight);
  made.set(names[5], y);
  made.finish();
  return made;
}

DnnObject &DnnGraph::addBias(const ConvolutionForm &form, DnnObject &sums,
                             DnnObject &bias, DnnObject &y) {
  DnnObject &addition = add(DnnPointwise);
  addition.set(DnnPointwiseMode, DnnTypePointwise, DnnAdd);
  addition.set(DnnPointwiseCompute, DnnTypeDataType, form.compute);
  addition.finish();
  DnnObject &made = add(DnnOperationPointwise);
  made.set(DnnOperationPointwiseDescriptor, addition);
  made.set(DnnOperationPointwiseX, sums);
  made.set(DnnOperationPointwiseB, bias);
  made.set(DnnOperationPointwiseY, y);
  made.finish();
  return made;
}

Status DnnGraph::make(const ConvolutionForm &form,
                      const ConvolutionAlignment &alignment) {
  type = form.type;
  DnnObject &x = addTensor(DnnX, form.x, type, alignment.x);
  DnnObject &weight = addTensor(DnnWeight, form.weight, type, alignment.weight);
  DnnObject &y = addTensor(DnnY, form.y, type, alignment.y);
  std::vector<DnnDescriptor> operations;
  if (form.hasBias()) {
    DnnObject &bias = addTensor(DnnBias, form.bias, type, alignment.bias);
    DnnObject &sums = addTensor(DnnSums, form.y, form.compute, 16,
                                /*isVirtual=*/true);
    operations = {addOperation(form, x, weight, sums).descriptor};
    operations.push_back(addBias(form, sums, bias, y).descriptor);
  } else {
    operations = {addOperation(form, x, weight, y).descriptor};
  }
  graph = &add(DnnOperationGraph);
  graph->set(DnnGraphOperations, DnnTypeDescriptor, int64_t(operations.size()),
             operations.data());
  if (dnn.handle)
    graph->set(DnnGraphHandle, DnnTypeHandle, 1, &dnn.handle);
  graph->finish();
  for (const std::unique_ptr<DnnObject> &each : objects)
    if (!each->status.ok())
      return each->status;
  return Status::success();
}

/// Only engines that compute the same bits again, and no sum less exactly than
/// in the type it is made in: of f32 no rounding of inputs (TF32, which the
/// tensor cores have for it), none of partial sums, no transforms.
bool DnnGraph::mayCompute(DnnObject &config) const {
  std::unique_ptr<DnnObject> engine = object(DnnEngine);
  config.get(DnnConfigEngine, DnnTypeDescriptor, 1, &engine->descriptor);
  constexpr int64_t most = 32;
  int notes[most] = {};
  int64_t count = engine->get(DnnEngineNotes, DnnTypeNote, most, notes);
  if (!config.status.ok() || !engine->status.ok())
    return false;
  return std::none_of(notes, notes + std::min(count, most), [&](int note) {
    return note == DnnNoteNondeterministic || note == DnnNoteRoundsInputs ||
           note == DnnNoteRoundsSums || note == DnnNoteFft ||
           note == DnnNoteWinograd ||
           (note == DnnNoteTensorCore && type == DnnF32);
  });
}

/// False if the library has no plan of this, or one that wants more workspace.
bool DnnGraph::writePlan(DnnObject &config, int64_t workspace,
                         std::string &text) const {
  std::unique_ptr<DnnObject> plan = object(DnnPlan);
  if (dnn.handle)
    plan->set(DnnPlanHandle, DnnTypeHandle, 1, &dnn.handle);
  if (dnn.device)
    plan->set(DnnPlanDevice, DnnTypeDescriptor, 1, &dnn.device);
  plan->set(DnnPlanConfig, config);
  plan->finish();
  int64_t bytes = 0;
  plan->get(DnnPlanWorkspace, DnnTypeInt64, 1, &bytes);
  if (!plan->status.ok() || bytes > workspace)
    return false;
  text.resize(plan->get(DnnPlanText, DnnTypeChar, 0, nullptr));
  plan->get(DnnPlanText, DnnTypeChar, int64_t(text.size()), text.data());
  return plan->status.ok() && !text.empty();
}

Status DnnGraph::chooseFrom(DnnHeuristicsKind kind, int64_t workspace,
                            std::string &plan) const {
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
    if (mayCompute(*configs[i]) && writePlan(*configs[i], workspace, plan))
      return Status::success();
  plan.clear();
  return heuristics->status;
}

Status DnnGraph::choose(int64_t workspace, std::string &plan) const {
  Status status = chooseFrom(DnnHeuristicsBest, workspace, plan);
  if (status.ok() && plan.empty())
    status = chooseFrom(DnnHeuristicsFallback, workspace, plan);
  return status;
}

} // namespace hocket::runtime::cuda
