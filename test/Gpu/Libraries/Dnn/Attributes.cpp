//===- Attributes.cpp - setting and reading attributes --------------------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Objects.h"
#include <algorithm>

using namespace hocket::lookalike;

namespace {

/// No type of the library's: float or double.
constexpr auto realNumber = DnnAttributeType(-1);

/// Attributes that a program sets. Descriptors are finalized and of kind
/// `child`; an operation stands for any.
struct Row {
  DnnDescriptorType of;
  DnnAttribute attribute;
  DnnAttributeType type;
  int64_t most; // elements
  DnnDescriptorType child = DnnTensorDescriptor;
};

constexpr int64_t dims = 3, rank = dims + 2;

const Row rows[] = {
    {DnnPointwise, DnnPointwiseMode, DnnTypePointwise, 1},
    {DnnPointwise, DnnPointwiseCompute, DnnTypeDataType, 1},
    {DnnPointwise, DnnPointwiseAxis, DnnTypeInt64, 1},
    {DnnMatmul, DnnMatmulCompute, DnnTypeDataType, 1},
    {DnnReduction, DnnReductionKind, DnnTypeReduction, 1},
    {DnnReduction, DnnReductionCompute, DnnTypeDataType, 1},
    {DnnOperationMatmul, DnnOperationMatmulDescriptor, DnnTypeDescriptor, 1,
     DnnMatmul},
    {DnnOperationMatmul, DnnOperationMatmulA, DnnTypeDescriptor, 1},
    {DnnOperationMatmul, DnnOperationMatmulB, DnnTypeDescriptor, 1},
    {DnnOperationMatmul, DnnOperationMatmulC, DnnTypeDescriptor, 1},
    {DnnOperationMatmul, DnnOperationMatmulRows, DnnTypeDescriptor, 1},
    {DnnOperationMatmul, DnnOperationMatmulColumns, DnnTypeDescriptor, 1},
    {DnnOperationMatmul, DnnOperationMatmulTerms, DnnTypeDescriptor, 1},
    {DnnOperationReduction, DnnOperationReductionDescriptor, DnnTypeDescriptor,
     1, DnnReduction},
    {DnnOperationReduction, DnnOperationReductionX, DnnTypeDescriptor, 1},
    {DnnOperationReduction, DnnOperationReductionY, DnnTypeDescriptor, 1},
    {DnnOperationReshape, DnnOperationReshapeX, DnnTypeDescriptor, 1},
    {DnnOperationReshape, DnnOperationReshapeY, DnnTypeDescriptor, 1},
    {DnnConvolutionDescriptor, DnnConvolutionCompute, DnnTypeDataType, 1},
    {DnnConvolutionDescriptor, DnnConvolutionMode, DnnTypeMode, 1},
    {DnnConvolutionDescriptor, DnnConvolutionDims, DnnTypeInt64, 1},
    {DnnConvolutionDescriptor, DnnConvolutionDilations, DnnTypeInt64, dims},
    {DnnConvolutionDescriptor, DnnConvolutionStrides, DnnTypeInt64, dims},
    {DnnConvolutionDescriptor, DnnConvolutionLows, DnnTypeInt64, dims},
    {DnnConvolutionDescriptor, DnnConvolutionHighs, DnnTypeInt64, dims},
    {DnnHeuristics, DnnHeuristicsMode, DnnTypeHeuristics, 1},
    {DnnHeuristics, DnnHeuristicsGraph, DnnTypeDescriptor, 1,
     DnnOperationGraph},
    {DnnPlan, DnnPlanHandle, DnnTypeHandle, 1},
    {DnnPlan, DnnPlanConfig, DnnTypeDescriptor, 1, DnnEngineConfig},
    {DnnPlan, DnnPlanText, DnnTypeChar, int64_t(1) << 20},
    {DnnOperationForward, DnnForwardAlpha, realNumber, 1},
    {DnnOperationForward, DnnForwardBeta, realNumber, 1},
    {DnnOperationForward, DnnForwardConvolution, DnnTypeDescriptor, 1,
     DnnConvolutionDescriptor},
    {DnnOperationForward, DnnForwardWeight, DnnTypeDescriptor, 1},
    {DnnOperationForward, DnnForwardX, DnnTypeDescriptor, 1},
    {DnnOperationForward, DnnForwardY, DnnTypeDescriptor, 1},
    {DnnOperationInputGradient, DnnInputGradientAlpha, realNumber, 1},
    {DnnOperationInputGradient, DnnInputGradientBeta, realNumber, 1},
    {DnnOperationInputGradient, DnnInputGradientConvolution, DnnTypeDescriptor,
     1, DnnConvolutionDescriptor},
    {DnnOperationInputGradient, DnnInputGradientWeight, DnnTypeDescriptor, 1},
    {DnnOperationInputGradient, DnnInputGradientX, DnnTypeDescriptor, 1},
    {DnnOperationInputGradient, DnnInputGradientY, DnnTypeDescriptor, 1},
    {DnnOperationWeightGradient, DnnWeightGradientAlpha, realNumber, 1},
    {DnnOperationWeightGradient, DnnWeightGradientBeta, realNumber, 1},
    {DnnOperationWeightGradient, DnnWeightGradientConvolution,
     DnnTypeDescriptor, 1, DnnConvolutionDescriptor},
    {DnnOperationWeightGradient, DnnWeightGradientWeight, DnnTypeDescriptor, 1},
    {DnnOperationWeightGradient, DnnWeightGradientX, DnnTypeDescriptor, 1},
    {DnnOperationWeightGradient, DnnWeightGradientY, DnnTypeDescriptor, 1},
    {DnnOperationPointwise, DnnOperationPointwiseDescriptor, DnnTypeDescriptor,
     1, DnnPointwise},
    {DnnOperationPointwise, DnnOperationPointwiseX, DnnTypeDescriptor, 1},
    {DnnOperationPointwise, DnnOperationPointwiseB, DnnTypeDescriptor, 1},
    {DnnOperationPointwise, DnnOperationPointwiseY, DnnTypeDescriptor, 1},
    {DnnOperationPointwise, DnnOperationPointwiseCondition, DnnTypeDescriptor,
     1},
    {DnnOperationGraph, DnnGraphHandle, DnnTypeHandle, 1},
    {DnnOperationGraph, DnnGraphOperations, DnnTypeDescriptor, 64,
     DnnOperationForward},
    {DnnTensorDescriptor, DnnTensorAlignment, DnnTypeInt64, 1},
    {DnnTensorDescriptor, DnnTensorType, DnnTypeDataType, 1},
    {DnnTensorDescriptor, DnnTensorExtents, DnnTypeInt64, rank},
    {DnnTensorDescriptor, DnnTensorStrides, DnnTypeInt64, rank},
    {DnnTensorDescriptor, DnnTensorId, DnnTypeInt64, 1},
    {DnnTensorDescriptor, DnnTensorIsVirtual, DnnTypeBoolean, 1},
    {DnnTensorDescriptor, DnnTensorIsValue, DnnTypeBoolean, 1},
    {DnnVariantPack, DnnPackIds, DnnTypeInt64, 64},
    {DnnVariantPack, DnnPackPointers, DnnTypePointer, 64},
    {DnnVariantPack, DnnPackWorkspace, DnnTypePointer, 1},
};

size_t bytesOfType(DnnAttributeType type) {
  switch (type) {
  case DnnTypeBoolean:
  case DnnTypeChar:
    return 1;
  case DnnTypeHandle:
  case DnnTypeInt64:
  case DnnTypeDouble:
  case DnnTypePointer:
  case DnnTypeDescriptor:
    return 8;
  default:
    return 4;
  }
}

bool isOperation(DnnDescriptorType type) {
  return std::strcmp(nameOf(type), "an operation") == 0;
}

std::string checkChildren(const Row &row, Value &value, DnnStatus &code) {
  for (int64_t i = 0; i < value.count; ++i) {
    Object *child = value.at<Object *>(i);
    if (!dnn().objects.has(child))
      return "there is no such descriptor";
    bool isRight = isOperation(row.child) ? isOperation(child->type)
                                          : child->type == row.child;
    if (!isRight)
      return std::string(nameOf(child->type)) + " stands where " +
             nameOf(row.child) + " is wanted";
    if (!child->isFinal) {
      code = DnnBadParamNotFinalized;
      return std::string(nameOf(child->type)) + " is not finalized";
    }
    value.numbers.push_back(child->number);
  }
  return "";
}

std::string checkValue(const Object &object, const Row *row, Value &value,
                       const void *elements, DnnStatus &code) {
  if (object.isFinal)
    return "it is finalized";
  if (!row)
    return "the look-alike has no such attribute";
  bool isReal = value.type == DnnTypeFloat || value.type == DnnTypeDouble;
  if (row->type == realNumber ? !isReal : row->type != value.type) {
    code = DnnBadParamAttributeType;
    return "its type is not " + std::to_string(value.type);
  }
  if (value.count < 1 || value.count > row->most)
    return "it has 1 to " + std::to_string(row->most) + " elements, not " +
           std::to_string(value.count);
  if (!elements)
    return "the elements are null";
  value.bytes.resize(value.count * bytesOfType(value.type));
  std::memcpy(value.bytes.data(), elements, value.bytes.size());
  if (value.type == DnnTypeDescriptor)
    return checkChildren(*row, value, code);
  if (value.type == DnnTypeHandle &&
      !dnn().handles.has(value.at<cudnnContext *>()))
    return "there is no such handle";
  return "";
}

/// What a program may read, as bytes; null type: none.
struct Read {
  DnnAttributeType type = realNumber;
  int64_t count = 0;
  std::string bytes;

  template <typename T> void set(DnnAttributeType of, const T *from, size_t n) {
    type = of;
    count = static_cast<int64_t>(n);
    bytes.assign(reinterpret_cast<const char *>(from), n * sizeof(T));
  }
};

Read valueOf(const Object &object, DnnAttribute attribute) {
  Read read;
  if (object.type == DnnPlan && attribute == DnnPlanWorkspace)
    read.set(DnnTypeInt64, &object.engine.workspace, 1);
  if (object.type == DnnPlan && attribute == DnnPlanText) {
    std::string text = planText(*object.graph, object.engine, dnn().version);
    read.set(DnnTypeChar, text.data(), text.size());
  }
  if (object.type == DnnEngine && attribute == DnnEngineIndex)
    read.set(DnnTypeInt64, &object.engine.index, 1);
  if (object.type == DnnEngine && attribute == DnnEngineNotes)
    read.set(DnnTypeNote, object.engine.notes.data(),
             object.engine.notes.size());
  return read;
}

/// Fills descriptors that the program has made with engines.
std::string fillObjects(const Object &from, DnnDescriptorType type,
                        const std::vector<Engine> &engines, int64_t most,
                        int64_t *count, void *elements) {
  *count = std::min<int64_t>(most, static_cast<int64_t>(engines.size()));
  auto *list = static_cast<Object **>(elements);
  for (int64_t i = 0; i < *count; ++i) {
    if (!dnn().objects.has(list[i]))
      return "there is no such descriptor to be filled";
    if (list[i]->type != type || list[i]->isFinal)
      return std::string("what is filled is not ") + nameOf(type) +
             " that nobody has finalized";
    list[i]->engine = engines[i];
    list[i]->graph = from.graph;
    list[i]->device = from.device;
    list[i]->isFinal = true;
  }
  return "";
}

std::vector<Engine> offers(const Object &heuristics) {
  auto kind = heuristics.get<int>(DnnHeuristicsMode);
  bool isBest = kind == DnnHeuristicsBest;
  std::vector<Engine> all =
      enginesFor(*heuristics.graph, isBest, heuristics.device, dnn().version);
  all.resize(
      std::min(all.size(), isBest ? dnn().bestOffers : dnn().fallbackOffers));
  return all;
}

std::string read(const Object &object, DnnAttribute attribute,
                 DnnAttributeType type, int64_t most, int64_t *count,
                 void *elements) {
  if (!count || most < 0 || (most > 0 && !elements))
    return "there is no place for the elements";
  if (object.type == DnnHeuristics && attribute == DnnHeuristicsResults &&
      type == DnnTypeDescriptor)
    return fillObjects(object, DnnEngineConfig, offers(object), most, count,
                       elements);
  if (object.type == DnnEngineConfig && attribute == DnnConfigEngine &&
      type == DnnTypeDescriptor)
    return fillObjects(object, DnnEngine, {object.engine}, most, count,
                       elements);
  Read found = valueOf(object, attribute);
  if (found.type == realNumber)
    return "the look-alike has no such attribute to be read";
  if (found.type != type)
    return "its type is not " + std::to_string(type);
  *count = found.count;
  std::copy_n(found.bytes.data(),
              std::min<size_t>(found.bytes.size(), most * bytesOfType(type)),
              static_cast<char *>(elements));
  return "";
}

} // namespace

using Lock = std::lock_guard<std::mutex>;

extern "C" {

DnnStatus cudnnBackendSetAttribute(DnnDescriptor descriptor,
                                   DnnAttribute attribute,
                                   DnnAttributeType type, int64_t count,
                                   const void *elements) {
  const char *function = "cudnnBackendSetAttribute";
  Lock lock(dnn().mutex);
  if (int code = countCall(function))
    return code;
  Object *object = dnn().object(function, descriptor);
  if (!object)
    return DnnBadParam;
  const Row *row =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row &each) {
        return each.of == object->type && each.attribute == attribute;
      });
  Value value{type, count, {}, {}};
  DnnStatus code = DnnBadParam;
  std::string wrong = checkValue(*object, row == std::end(rows) ? nullptr : row,
                                 value, elements, code);
  if (!wrong.empty())
    return dnn().find(function,
                      "attribute " + std::to_string(attribute) + " of " +
                          nameOf(object->type) + ": " + wrong,
                      code);
  object->values[attribute] = std::move(value);
  return DnnSuccess;
}

DnnStatus cudnnBackendGetAttribute(DnnDescriptor descriptor,
                                   DnnAttribute attribute,
                                   DnnAttributeType type, int64_t most,
                                   int64_t *count, void *elements) {
  const char *function = "cudnnBackendGetAttribute";
  Lock lock(dnn().mutex);
  if (int code = countCall(function))
    return code;
  Object *object = dnn().object(function, descriptor);
  if (!object)
    return DnnBadParam;
  if (!object->isFinal)
    return dnn().find(function,
                      std::string(nameOf(object->type)) + " is not finalized",
                      DnnBadParamNotFinalized);
  std::string wrong = read(*object, attribute, type, most, count, elements);
  if (!wrong.empty())
    return dnn().find(function, "attribute " + std::to_string(attribute) +
                                    " of " + nameOf(object->type) + ": " +
                                    wrong);
  return DnnSuccess;
}
}
