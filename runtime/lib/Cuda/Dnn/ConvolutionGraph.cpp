//===- ConvolutionGraph.cpp - a convolution described to cuDNN ------------===//

#include "runtime/lib/Cuda/Dnn/ConvolutionGraph.h"

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

DnnObject &ConvolutionGraph::addTensorOf(int64_t name, const DnnTensor &tensor,
                                         DnnType type, int64_t alignment,
                                         GraphTensor::Place place) {
  return addTensor(
      {name, tensor.extents, tensor.strides, type, alignment, place});
}

DnnObject &ConvolutionGraph::addConvolution(const ConvolutionForm &form) {
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

DnnObject &ConvolutionGraph::addOperation(const ConvolutionForm &form,
                                          DnnObject &x, DnnObject &weight,
                                          DnnObject &y) {
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

DnnObject &ConvolutionGraph::addBias(const ConvolutionForm &form,
                                     DnnObject &sums, DnnObject &bias,
                                     DnnObject &y) {
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

Status ConvolutionGraph::make(const ConvolutionForm &form,
                              const ConvolutionAlignment &alignment) {
  type = form.type;
  DnnObject &x = addTensorOf(DnnX, form.x, type, alignment.x);
  DnnObject &weight =
      addTensorOf(DnnWeight, form.weight, type, alignment.weight);
  DnnObject &y = addTensorOf(DnnY, form.y, type, alignment.y);
  std::vector<DnnDescriptor> operations;
  if (form.hasBias()) {
    DnnObject &bias = addTensorOf(DnnBias, form.bias, type, alignment.bias);
    DnnObject &sums = addTensorOf(DnnSums, form.y, form.compute, 16,
                                  GraphTensor::Place::Nowhere);
    operations = {addOperation(form, x, weight, sums).descriptor};
    operations.push_back(addBias(form, sums, bias, y).descriptor);
  } else {
    operations = {addOperation(form, x, weight, y).descriptor};
  }
  return finish(operations);
}

Status ConvolutionGraph::choose(int64_t workspace, std::string &plan) const {
  int64_t wanted = 0;
  return DnnGraph::choose(type, /*mayDiffer=*/false, workspace, plan, wanted);
}

} // namespace hocket::runtime::cuda
