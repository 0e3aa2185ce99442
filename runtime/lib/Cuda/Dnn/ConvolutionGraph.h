//===- ConvolutionGraph.h - a convolution described to cuDNN ---*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONGRAPH_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONGRAPH_H

#include "runtime/lib/Cuda/Dnn/ConvolutionForm.h"
#include "runtime/lib/Cuda/Dnn/DnnGraph.h"

namespace hocket::runtime::cuda {

/// Bytes to which the addresses of a convolution's operands are aligned: powers
/// of two. Where ranks share an algorithm it is the least of all their
/// addresses.
struct ConvolutionAlignment {
  int64_t x = 16, weight = 16, y = 16, bias = 16;

  static ConvolutionAlignment of(const ConvolutionArguments &arguments);
};

/// Names of tensors in a plan.
enum DnnTensorName : int64_t {
  DnnX = 1,
  DnnWeight = 2,
  DnnY = 3,
  DnnBias = 4,
  DnnSums = 5, // what the bias is added to; no memory
};

/// An operation graph of the convolution and, in a second operation, its bias.
class ConvolutionGraph : public DnnGraph {
public:
  using DnnGraph::DnnGraph;

  Status make(const ConvolutionForm &form,
              const ConvolutionAlignment &alignment);
  /// The text of the best plan that computes as Hocket wants it (see
  /// mayCompute) in at most `workspace` bytes; empty if there is none. An
  /// engine that fails is passed over; where none is left that is the error.
  Status choose(int64_t workspace, std::string &plan) const;

private:
  DnnObject &addTensorOf(int64_t name, const DnnTensor &tensor, DnnType type,
                         int64_t alignment,
                         GraphTensor::Place place = GraphTensor::Place::Device);
  DnnObject &addConvolution(const ConvolutionForm &form);
  DnnObject &addOperation(const ConvolutionForm &form, DnnObject &x,
                          DnnObject &weight, DnnObject &y);
  DnnObject &addBias(const ConvolutionForm &form, DnnObject &sums,
                     DnnObject &bias, DnnObject &y);

  DnnType type = DnnF32;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_CONVOLUTIONGRAPH_H
