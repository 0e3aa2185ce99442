//===- Finish.cpp - what a descriptor needs before it is used -------------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Objects.h"
#include <algorithm>
#include <set>

namespace hocket::lookalike {

Tensor tensorOf(const Object &object) {
  Tensor tensor;
  tensor.id = object.get<int64_t>(DnnTensorId);
  tensor.type = object.get<int>(DnnTensorType);
  tensor.alignment = object.get<int64_t>(DnnTensorAlignment);
  tensor.isVirtual =
      object.has(DnnTensorIsVirtual) && object.get<bool>(DnnTensorIsVirtual);
  tensor.isValue =
      object.has(DnnTensorIsValue) && object.get<bool>(DnnTensorIsValue);
  tensor.extents = object.list(DnnTensorExtents);
  tensor.strides = object.list(DnnTensorStrides);
  return tensor;
}

namespace {

/// Attributes that every descriptor of a kind has; of an operation the first
/// three of its six are alpha, beta and the convolution.
std::vector<DnnAttribute> wanted(DnnDescriptorType type) {
  switch (type) {
  case DnnPointwise:
    return {DnnPointwiseMode, DnnPointwiseCompute};
  case DnnConvolutionDescriptor:
    return {DnnConvolutionCompute,   DnnConvolutionMode,    DnnConvolutionDims,
            DnnConvolutionDilations, DnnConvolutionStrides, DnnConvolutionLows,
            DnnConvolutionHighs};
  case DnnHeuristics:
    return {DnnHeuristicsMode, DnnHeuristicsGraph};
  case DnnPlan:
    return {DnnPlanHandle};
  case DnnOperationForward:
    return {DnnForwardAlpha,  DnnForwardBeta, DnnForwardConvolution,
            DnnForwardWeight, DnnForwardX,    DnnForwardY};
  case DnnOperationInputGradient:
    return {DnnInputGradientAlpha,       DnnInputGradientBeta,
            DnnInputGradientConvolution, DnnInputGradientWeight,
            DnnInputGradientX,           DnnInputGradientY};
  case DnnOperationWeightGradient:
    return {DnnWeightGradientAlpha,       DnnWeightGradientBeta,
            DnnWeightGradientConvolution, DnnWeightGradientWeight,
            DnnWeightGradientX,           DnnWeightGradientY};
  case DnnOperationPointwise:
    return {DnnOperationPointwiseDescriptor, DnnOperationPointwiseX,
            DnnOperationPointwiseY};
  case DnnMatmul:
    return {DnnMatmulCompute};
  case DnnReduction:
    return {DnnReductionKind, DnnReductionCompute};
  case DnnOperationMatmul:
    return {DnnOperationMatmulDescriptor, DnnOperationMatmulA,
            DnnOperationMatmulB, DnnOperationMatmulC};
  case DnnOperationReduction:
    return {DnnOperationReductionDescriptor, DnnOperationReductionX,
            DnnOperationReductionY};
  case DnnOperationReshape:
    return {DnnOperationReshapeX, DnnOperationReshapeY};
  case DnnOperationGraph:
    return {DnnGraphHandle, DnnGraphOperations};
  case DnnTensorDescriptor:
    return {DnnTensorAlignment, DnnTensorType, DnnTensorExtents,
            DnnTensorStrides, DnnTensorId};
  case DnnVariantPack:
    return {DnnPackIds, DnnPackPointers, DnnPackWorkspace};
  default:
    return {};
  }
}

std::string checkTensor(const Object &object) {
  Numbers extents = object.list(DnnTensorExtents);
  Numbers strides = object.list(DnnTensorStrides);
  if (extents.size() < 4 || extents.size() != strides.size())
    return "it has 4 or 5 extents and as many strides";
  for (const Numbers *list : {&extents, &strides})
    if (*std::min_element(list->begin(), list->end()) < 1)
      return "extents and strides are at least 1";
  int64_t bytes = bytesOf(object.get<int>(DnnTensorType));
  if (!bytes)
    return "the look-alike has no elements of this type";
  auto alignment = object.get<int64_t>(DnnTensorAlignment);
  if (alignment < bytes || alignment & (alignment - 1))
    return "its alignment is " + std::to_string(alignment) + " bytes";
  return "";
}

std::string checkConvolution(const Object &object) {
  if (object.get<int>(DnnConvolutionMode) != DnnCrossCorrelation)
    return "the look-alike turns no weights around";
  auto dims = object.get<int64_t>(DnnConvolutionDims);
  for (auto [attribute, least] :
       {std::pair(DnnConvolutionDilations, 1),
        std::pair(DnnConvolutionStrides, 1), std::pair(DnnConvolutionLows, 0),
        std::pair(DnnConvolutionHighs, 0)}) {
    Numbers list = object.list(attribute);
    if (static_cast<int64_t>(list.size()) != dims)
      return "attribute " + std::to_string(attribute) + " has not " +
             std::to_string(dims) + " elements";
    if (*std::min_element(list.begin(), list.end()) < least)
      return "attribute " + std::to_string(attribute) + " is less than " +
             std::to_string(least);
  }
  return "";
}

double realOf(const Value &value) {
  return value.type == DnnTypeDouble ? value.at<double>() : value.at<float>();
}

std::string checkOperation(const Object &object) {
  std::vector<DnnAttribute> names = wanted(object.type);
  auto compute = object.object(names[2]).get<int>(DnnConvolutionCompute);
  for (int i = 0; i < 2; ++i) {
    const Value &value = object.values.at(names[i]);
    if (value.type != (compute == DnnF64 ? DnnTypeDouble : DnnTypeFloat))
      return "alpha and beta are not of the type that is computed in";
    if (realOf(value) != 1 - i)
      return "the look-alike has only alpha 1 and beta 0";
  }
  return "";
}

std::string checkPack(const Object &object) {
  Numbers ids = object.list(DnnPackIds);
  if (std::set<int64_t>(ids.begin(), ids.end()).size() != ids.size())
    return "a tensor has two addresses";
  if (object.values.at(DnnPackPointers).count !=
      static_cast<int64_t>(ids.size()))
    return "there are not as many addresses as tensors";
  return "";
}

/// The device of a handle, which is that of the current context.
std::string checkDevice(const Object &object, DnnAttribute handle,
                        int &device) {
  auto *given = object.get<cudnnContext *>(handle);
  if (!dnn().handles.has(given))
    return "its handle is destroyed";
  device = given->device;
  int current = currentDevice(device);
  if (current == device)
    return "";
  return "the handle is of device " + std::to_string(device) +
         ", and the current context of device " + std::to_string(current);
}

std::string finishGraph(Object &object) {
  std::string wrong = checkDevice(object, DnnGraphHandle, object.device);
  if (!wrong.empty())
    return wrong;
  DnnDescriptorType first = object.object(DnnGraphOperations).type;
  bool isConvolution = first == DnnOperationForward ||
                       first == DnnOperationInputGradient ||
                       first == DnnOperationWeightGradient;
  auto graph = std::make_shared<Graph>();
  wrong = isConvolution ? problemOf(object, graph->emplace<Problem>())
                        : fusedOf(object, graph->emplace<Fused>());
  object.graph = graph;
  return wrong.empty() ? checkGraph(*graph) : wrong;
}

std::string finishPlan(Object &object, DnnStatus &code) {
  if (object.has(DnnPlanConfig) == object.has(DnnPlanText))
    return "it has either a configuration or a text";
  std::string wrong = checkDevice(object, DnnPlanHandle, object.device);
  if (!wrong.empty())
    return wrong;
  if (object.has(DnnPlanConfig)) {
    const Object &config = object.object(DnnPlanConfig);
    object.graph = config.graph;
    object.engine = config.engine;
    return "";
  }
  const Value &text = object.values.at(DnnPlanText);
  Graph graph;
  if (!readPlan(std::string(text.bytes.begin(), text.bytes.end()),
                dnn().version, graph, object.engine)) {
    code = DnnNotSupported;
    return "its text is not that of a plan of this version";
  }
  object.graph = std::make_shared<Graph>(graph);
  return "";
}

/// The second operation of a graph, which adds a bias to the first's result.
std::string addBias(const Object &addition, Problem &problem) {
  if (addition.type != DnnOperationPointwise)
    return "the second operation is not a pointwise one";
  const Object &computation = addition.object(DnnOperationPointwiseDescriptor);
  if (!addition.has(DnnOperationPointwiseB))
    return "the second operation adds nothing";
  if (computation.get<int>(DnnPointwiseMode) != DnnAdd ||
      computation.get<int>(DnnPointwiseCompute) != problem.compute)
    return "the second operation is not an addition in the type of the first";
  Tensor sums = tensorOf(addition.object(DnnOperationPointwiseX));
  Tensor y = tensorOf(addition.object(DnnOperationPointwiseY));
  if (sums.id != problem.y.id || !sums.isVirtual ||
      sums.type != problem.compute || sums.extents != y.extents)
    return "what the bias is added to is not the sums of the first operation "
           "in the type that is computed in";
  problem.y = y;
  problem.bias = tensorOf(addition.object(DnnOperationPointwiseB));
  problem.hasBias = 1;
  return "";
}

} // namespace

std::string problemOf(const Object &graph, Problem &problem) {
  const Object &first = graph.object(DnnGraphOperations);
  std::vector<DnnAttribute> names = wanted(first.type);
  const Object &windows = first.object(names[2]);
  problem.operation = first.type;
  problem.compute = windows.get<int>(DnnConvolutionCompute);
  problem.strides = windows.list(DnnConvolutionStrides);
  problem.dilations = windows.list(DnnConvolutionDilations);
  problem.lows = windows.list(DnnConvolutionLows);
  problem.highs = windows.list(DnnConvolutionHighs);
  for (int i = 3; i < 6; ++i) {
    Tensor tensor = tensorOf(first.object(names[i]));
    bool isX = names[i] == DnnForwardX || names[i] == DnnInputGradientX ||
               names[i] == DnnWeightGradientX;
    bool isY = names[i] == DnnForwardY || names[i] == DnnInputGradientY ||
               names[i] == DnnWeightGradientY;
    (isX ? problem.x : isY ? problem.y : problem.weight) = tensor;
  }
  if (graph.values.at(DnnGraphOperations).count > 2)
    return "a convolution has at most one operation behind it";
  if (graph.values.at(DnnGraphOperations).count > 1) {
    std::string wrong = addBias(graph.object(DnnGraphOperations, 1), problem);
    if (!wrong.empty())
      return wrong;
  }
  std::set<int64_t> ids;
  for (const Tensor *tensor : problem.tensors())
    if (!ids.insert(tensor->id).second)
      return "two tensors have the name " + std::to_string(tensor->id);
  return "";
}

std::string checkLiving(const Object &object) {
  for (const auto &[attribute, value] : object.values)
    for (size_t i = 0; i < value.numbers.size(); ++i) {
      auto *child = value.at<Object *>(static_cast<int64_t>(i));
      if (!dnn().objects.has(child) || child->number != value.numbers[i])
        return "a descriptor of its attribute " + std::to_string(attribute) +
               " is destroyed";
      std::string wrong = checkLiving(*child);
      if (!wrong.empty())
        return wrong;
    }
  return "";
}

std::string finishObject(Object &object, DnnStatus &code) {
  for (DnnAttribute attribute : wanted(object.type))
    if (!object.has(attribute))
      return "its attribute " + std::to_string(attribute) + " is not set";
  std::string wrong = checkLiving(object);
  if (!wrong.empty())
    return wrong;
  switch (object.type) {
  case DnnTensorDescriptor:
    return checkTensor(object);
  case DnnConvolutionDescriptor:
    return checkConvolution(object);
  case DnnOperationForward:
  case DnnOperationInputGradient:
  case DnnOperationWeightGradient:
    return checkOperation(object);
  case DnnOperationGraph:
    return finishGraph(object);
  case DnnHeuristics:
    object.graph = object.object(DnnHeuristicsGraph).graph;
    object.device = object.object(DnnHeuristicsGraph).device;
    return "";
  case DnnPlan:
    return finishPlan(object, code);
  case DnnVariantPack:
    return checkPack(object);
  case DnnEngine:
  case DnnEngineConfig:
    return "the look-alike has it only from heuristics";
  default:
    return "";
  }
}

} // namespace hocket::lookalike
